/** What a program keeps beside a file's content: any JSON values. */
export type FileMetadata = Readonly<Record<string, unknown>>;
