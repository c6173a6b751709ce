/** A program's own data about a file: any JSON values. */
export type FileMetadata = Readonly<Record<string, unknown>>;
