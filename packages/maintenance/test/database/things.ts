import type { WriteOperation } from "@partita/core/storage";
import { bodyOf } from "../../../core/src/stores/embedded/row-body.ts";
import { checksumOf, checksumOfTable } from "../../../core/src/stores/embedded/row-checksum.ts";

export const key = { PartitionKey: "p", RowKey: "r" };

export const insert = (properties: object, rowKey = "r"): WriteOperation => ({
  type: "insert",
  entity: { ...key, RowKey: rowKey, ...properties },
});

/** The checksum of a row of partition p in Things, the first table of its file. */
export const checksumOfThing = (rowKey: string, ts: number, body: string | Uint8Array): number =>
  checksumOf(checksumOfTable(1, "Things"), "p", rowKey, ts, bodyOf(body));
