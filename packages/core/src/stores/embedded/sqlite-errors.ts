import { isError } from "../../values/errors/built-ins.ts";
import { StorageError, type StorageFailure } from "../../values/errors/storage-error.ts";
import { isDamage } from "./stored-row.ts";

interface SqliteFailure extends Error {
  readonly errcode: number;
}

/** Primary result codes of SQLite. Source: sqlite.org "Result and Error Codes". */
const codes = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
};

const isSqliteFailure = (error: unknown): error is SqliteFailure =>
  isError(error) && typeof (error as Partial<SqliteFailure>).errcode === "number";

const primaryCode = (error: SqliteFailure): number => error.errcode & 0xff;

/** Whether another connection holds a lock that will pass. */
export const isBusy = (error: unknown): boolean =>
  isSqliteFailure(error) && (primaryCode(error) === codes.busy || primaryCode(error) === codes.locked);

/** Whether SQLite could not open or create a file that it needs, such as its log in a read-only folder. */
export const isCannotOpen = (error: unknown): boolean =>
  isSqliteFailure(error) && [codes.cannotOpen, codes.readOnly].includes(primaryCode(error));

/** Whether the content of a file prevents SQLite from reading it: damaged pages, or missing tables. */
export const isOfContent = (error: unknown): boolean =>
  isSqliteFailure(error) && [codes.error, codes.corrupt, codes.notADatabase].includes(primaryCode(error));

/** Converts an error about the file, with a remedy in the message. Errors of other kinds are returned unchanged. */
export function toStorageError(
  error: unknown,
  file: string,
  applied: StorageFailure["applied"] = "no",
): unknown {
  if (isDamage(error)) return damaged(file);
  if (!isSqliteFailure(error)) return error;
  const [code, message, status] = descriptions[primaryCode(error)] ?? [
    "storage.embedded",
    `: the embedded store failed (${error.message}).`,
    500,
  ];
  return new StorageError(
    code,
    file + message,
    { applied, status, ...(status === 503 && { serviceCode: "ServerBusy" }) },
    { cause: error },
  );
}

/** This library did not write the row like this. The parser's message quotes it, so it is not passed on. */
const damaged = (file: string): StorageError =>
  new StorageError(
    "storage.damaged",
    `${file} is damaged: a stored row cannot be read. Restore it from a backup.`,
    { applied: "no" },
  );

/** Whether a failed commit was certainly not stored. */
export const isCertainlyRolledBack = (error: unknown): boolean =>
  isSqliteFailure(error) && primaryCode(error) === codes.full;

/** By SQLite's code: our code, the message after the file's name, and the status. */
const descriptions: Readonly<Record<number, readonly [code: string, message: string, status: number]>> = {
  [codes.busy]: ["storage.server-busy", " is locked by another process. Close that program, or retry.", 503],
  [codes.locked]: [
    "storage.server-busy",
    " is locked by another process. Close that program, or retry.",
    503,
  ],
  [codes.readOnly]: ["storage.read-only", " cannot be written: the file or its folder is read-only.", 403],
  [codes.full]: [
    "storage.full",
    " cannot grow: the disk or the database is full. This write was not stored.",
    507,
  ],
  [codes.cannotOpen]: [
    "storage.cannot-open",
    " cannot be opened. Check that its folder exists and is writable.",
    500,
  ],
  [codes.corrupt]: ["storage.damaged", " is damaged. Restore it from a backup; nothing was changed.", 500],
  [codes.notADatabase]: [
    "storage.not-a-database",
    " is not a database of this library. Choose another file.",
    500,
  ],
  [codes.io]: ["storage.io", " could not be read or written: the disk reported an error.", 500],
};
