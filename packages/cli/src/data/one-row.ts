import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import type { EntityKey } from "@partita/core";
import type { StoredEntity, StoredValue, WriteOperation } from "@partita/core/storage";
import { openTarget } from "../storage/open-target.ts";
import { retryRead } from "../storage/retry-read.ts";
import { printable, printableKey } from "../terminal/printable.ts";
import { UsageError } from "../session/usage-error.ts";
import { checkStorable, readOneRow } from "./read-one-row.ts";
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
    if (json || !out.isTerminal) await out.line(jsonFor(out, await typedJson(row)));
    else for (const line of await linesOf(row)) await out.line(line);
    return 0;
  });
}

/** The row as query and export print it, with its ETag. */
async function typedJson(row: StoredEntity): Promise<object> {
  const { rowsAsText } = await import("@partita/transfer");
  const json = rowsAsText([row], { format: "jsonl", timestamps: true });
  return { ...(JSON.parse(json) as StoredEntity), "odata.etag": row["odata.etag"] };
}

/** A line for each property: its name, its type and its value. Keys first. */
async function linesOf(row: StoredEntity): Promise<string[]> {
  const { annotationOf, edmTypeOf } = await import("@partita/core/protocol");
  const { PartitionKey, RowKey, Timestamp, "odata.etag": etag, ...own } = row;
  const typeOf = (name: string): string =>
    edmTypeOf(own[name] as StoredValue, own[annotationOf(name)]).replace("Edm.", "");
  const system = { PartitionKey, RowKey, Timestamp, ETag: etag };
  const names = Object.keys(own).filter((name) => !name.includes("@"));
  const lines = [
    ...Object.entries(system).map(([name, value]) => [name, "", value] as const),
    ...names.map((name) => [name, typeOf(name), own[name]] as const),
  ];
  const width = Math.max(...lines.map(([name]) => printable(name).length));
  return lines.map(
    ([name, type, value]) =>
      `${printable(name).padEnd(width)}  ${type.padEnd(8)}  ${printable(String(value))}`,
  );
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
    const json = given === "-" ? await text(addAbortSignal(signal, input())) : given;
    const entity = await readOneRow(json, mode === "merge");
    await using opened = await openTarget(storage);
    if (dryRun) {
      await checkStorable(table, entity);
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
      force
        ? "--etag deletes one version and --force any version. Remove one of them."
        : "partita rm needs --etag to delete only the version that you have seen (partita get prints it), or --force to delete any version.",
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
