import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import type { EntityKey, TableStorage } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import type { TransferError } from "@partita/transfer";
import { openTarget } from "../storage/open-target.ts";
import { retryRead } from "../storage/retry-read.ts";
import { printable, printableKey } from "../terminal/printable.ts";
import { UsageError } from "../session/usage-error.ts";
import { jsonFor } from "./row-printer.ts";
import { CommandError, inSession } from "../session/session.ts";

/** `partita get`: prints one row. Returns the exit code: 1 if it does not exist. */
export function get(args: readonly string[], { json = false }: { readonly json?: boolean }): Promise<number> {
  const [storage = "", table = "", partitionKey = "", rowKey = ""] = args;
  return inSession(async ({ out, signal }) => {
    await using opened = await openTarget(storage);
    const key = { partitionKey, rowKey };
    const row = await retryRead(() => opened.get(table, key, { signal }), signal);
    if (row === undefined) throw missing(table, key);
    if (json || !out.isTerminal) await out.line(jsonFor(out, keysFirst(row)));
    else for (const line of linesOf(row)) await out.line(line);
    return 0;
  });
}

/** The order of query and export. */
const keysFirst = ({ PartitionKey, RowKey, Timestamp, ...others }: StoredEntity): object => ({
  PartitionKey,
  RowKey,
  Timestamp,
  ...others,
});

/** A line for each property: its name, its type and its value. Keys first. */
function linesOf({ PartitionKey, RowKey, Timestamp, "odata.etag": etag, ...own }: StoredEntity): string[] {
  const system = { PartitionKey, RowKey, Timestamp, ETag: etag };
  const names = Object.keys(own).filter((name) => !name.includes("@"));
  const lines = [
    ...Object.entries(system).map(([name, value]) => [name, "", value] as const),
    ...names.map((name) => [name, typeOf(own[name], own[`${name}@odata.type`]), own[name]] as const),
  ];
  const width = Math.max(...lines.map(([name]) => printable(name).length));
  return lines.map(
    ([name, type, value]) =>
      `${printable(name).padEnd(width)}  ${type.padEnd(8)}  ${printable(String(value))}`,
  );
}

/** JSON values without an annotation have one of JSON's own types. */
function typeOf(value: unknown, annotation: unknown): string {
  if (typeof annotation === "string") return annotation.replace("Edm.", "");
  if (typeof value === "number") return Number.isInteger(value) ? "Int32" : "Double";
  return typeof value === "boolean" ? "Boolean" : "String";
}

const missing = (table: string, key: EntityKey): CommandError =>
  new CommandError(`${table} has no row ${printableKey(key)}.`);

const isMissing = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | undefined)?.code === "storage.resource-not-found";

type Mode = "insert" | "merge" | "replace";

/** Options as given. */
interface PutOptions {
  readonly mode?: Mode;
  readonly etag?: string;
  readonly dryRun?: boolean;
}

/** `partita put`: writes one row and prints its new ETag. */
export function put(args: readonly string[], options: PutOptions): Promise<number> {
  const [storage = "", table = "", given = ""] = args;
  const { mode = "insert", etag, dryRun = false } = options;
  if (mode === "insert" && etag !== undefined)
    throw new UsageError("--etag needs an existing row: add --mode merge or --mode replace.");
  return inSession(async ({ out, say, input, signal }) => {
    const entity = await checked(
      table,
      given === "-" ? await text(addAbortSignal(signal, input())) : given,
      mode,
    );
    await using opened = await openTarget(storage);
    if (dryRun) {
      say("The row is valid. Nothing was written.");
      return 0;
    }
    const { etag: written } = await opened.write(table, operationOf(mode, etag, entity), { signal });
    await out.line(
      jsonFor(out, { PartitionKey: entity.PartitionKey, RowKey: entity.RowKey, "odata.etag": written }),
    );
    return 0;
  });
}

function operationOf(mode: Mode, etag: string | undefined, entity: StoredEntity): WriteOperation {
  if (mode === "insert") return { type: "insert", entity };
  return etag === undefined ? { type: `upsert-${mode}`, entity } : { type: mode, entity, etag };
}

const aRow =
  'put takes one row as JSON: {"PartitionKey":"a","RowKey":"1","Count":"5","Count@odata.type":"Edm.Int64"}';

/** Parses a row from JSON and checks it like an import. @throws TransferError; CommandError */
async function checked(table: string, json: string, mode: Mode): Promise<StoredEntity> {
  const [{ openStorage }, { importTable }] = await Promise.all([
    import("@partita/core"),
    import("@partita/transfer"),
  ]);
  await using scratch: TableStorage = await openStorage("memory:");
  // An import reads one row per line, so a row of several lines is joined.
  const line = json.trim().replaceAll(/\s*\n\s*/g, " ");
  const onBadLine = ({ code, message }: TransferError): never => {
    const problem = message.replace(/^Line \d+ is/, "The text is").replace(/ Correct it, or skip .*$/, "");
    throw new CommandError(`${code}: ${problem} ${aRow}`);
  };
  const { read, refusedRows } = await importTable(scratch, table, once(line), { format: "jsonl", onBadLine });
  const [refused] = refusedRows;
  if (refused !== undefined) throw refused.reason;
  const [row] = (await scratch.query(table, {})).entities;
  // A list with one row is not a row.
  const isRow = read === 1 && row !== undefined && Object.hasOwn(JSON.parse(line) as object, "RowKey");
  if (!isRow) throw new CommandError(aRow);
  if (mode === "merge") checkNoNull(line);
  const { Timestamp: _timestamp, "odata.etag": _etag, ...own } = row;
  return own as StoredEntity;
}

/** A merge ignores missing properties, and tables cannot store null. @throws CommandError */
function checkNoNull(line: string): void {
  const [name] =
    Object.entries(JSON.parse(line) as object).find(([, value]) => (value as unknown) === null) ?? [];
  if (name !== undefined)
    throw new CommandError(
      `${printable(name)} is null, which tables cannot store. A merge would leave the stored value unchanged. Leave the property out, or put the complete row with --mode replace to delete the property.`,
    );
}

async function* once(line: string): AsyncGenerator<string> {
  yield await Promise.resolve(line);
}

/** Options as given. */
export interface RemoveOptions {
  readonly etag?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** `partita rm` without a filter: deletes one row. */
export function removeRow(
  args: readonly string[],
  { etag, force = false, dryRun = false }: RemoveOptions,
): Promise<number> {
  const [storage = "", table = "", partitionKey = "", rowKey = ""] = args;
  if (!dryRun && (etag === undefined) !== force)
    throw new UsageError(
      "partita rm needs --etag to delete only the version that you have seen (partita get prints it), or --force to delete any version.",
    );
  return inSession(async ({ say, signal }) => {
    await using opened = await openTarget(storage);
    const key = { partitionKey, rowKey };
    const row = dryRun ? await opened.get(table, key, { signal }) : undefined;
    if (dryRun && row === undefined) throw missing(table, key);
    if (!dryRun)
      await opened.write(table, { type: "delete", key, etag: etag ?? "*" }, { signal }).catch((error) => {
        throw isMissing(error) ? missing(table, key) : error;
      });
    say(dryRun ? "The row exists. Nothing was deleted." : "Deleted.");
    return 0;
  });
}
