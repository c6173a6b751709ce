/** A program's own data about a file: any JSON values. */
export type FileMetadata = Readonly<Record<string, unknown>>;

/** When each member of metadata was set, as stored. */
export type MetadataTimes = Readonly<Record<string, string>>;

/** Metadata with members that were changed: null deletes one. */
export const changedMetadata = (changes: FileMetadata, before: FileMetadata = {}): FileMetadata =>
  Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null && value !== undefined),
  );

/** The times of members that are set now, with those of the others. */
export function timesOf(
  changes: FileMetadata | undefined,
  now: Date,
  others: MetadataTimes | undefined = {},
): MetadataTimes {
  const times = new Map(Object.entries(others));
  for (const [name, value] of Object.entries(changes ?? {}))
    if (value === null || value === undefined) times.delete(name);
    else times.set(name, now.toISOString());
  return Object.fromEntries(times);
}
