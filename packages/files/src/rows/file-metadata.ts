/** A program's own data about a file: any JSON values. */
export type FileMetadata = Readonly<Record<string, unknown>>;

/** When each member of metadata was set, as stored. */
export type MetadataTimes = Readonly<Record<string, string>>;

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
