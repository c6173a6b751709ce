import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import {
  annotationOf,
  checkSize,
  checkStoredKey,
  isSystemName,
  notAnEntity,
  notAnOperation,
  type PreparedWrite,
  toOrderedText,
  userProperties,
  type UserProperties,
} from "@partita/core/internal/sql";
import { escapedMark, escapeTexts } from "./escaped-text.ts";
import { type RowVersion, versionOfEtag } from "./etag.ts";

/** The letters that the functions of the schema take for types of operations; capitals write a row that may be new. */
const letters: Readonly<Record<WriteOperation["type"], Letter>> = {
  insert: "i",
  merge: "m",
  replace: "r",
  "upsert-merge": "M",
  "upsert-replace": "R",
  delete: "d",
};

type Letter = "i" | "m" | "r" | "M" | "R" | "d";

/** An operation in the form of the schema's functions. */
export interface PreparedOperation extends PreparedWrite {
  readonly kind: Letter;
  /** The version that the row must have; undefined for any. */
  readonly asked: RowVersion | undefined;
  /** The written properties as JSON; undefined for a delete. */
  readonly body: string | undefined;
  /** Members that a merge removes: annotations of the stored value that the new value does not have. */
  readonly dropped: readonly string[] | undefined;
}

/** @throws StorageError with the service's code */
export function prepareOperation(operation: WriteOperation): PreparedOperation {
  switch (operation?.type) {
    case "insert":
    case "upsert-merge":
    case "upsert-replace":
      return prepareWrite(operation.type, operation.entity, undefined);
    case "merge":
    case "replace":
      return prepareWrite(operation.type, operation.entity, versionOfEtag(operation.etag));
    case "delete": {
      const { partitionKey, rowKey } = operation.key ?? {};
      checkStoredKey(partitionKey, rowKey);
      return {
        kind: letters.delete,
        pk: toOrderedText(partitionKey),
        rk: toOrderedText(rowKey),
        asked: versionOfEtag(operation.etag),
        body: undefined,
        dropped: undefined,
        bytes: 0,
      };
    }
    default:
      operation satisfies never;
      throw notAnOperation();
  }
}

function prepareWrite(
  type: Exclude<WriteOperation["type"], "delete">,
  entity: StoredEntity,
  asked: RowVersion | undefined,
): PreparedOperation {
  if (typeof entity !== "object" || entity === null) throw notAnEntity(type);
  const { PartitionKey, RowKey } = entity;
  checkStoredKey(PartitionKey, RowKey);
  const properties = userProperties(entity);
  const json = JSON.stringify(properties);
  checkSize(json.length, PartitionKey.length + RowKey.length, () => properties);
  const stored = json.includes("\\u0000") ? escapeTexts(properties) : properties;
  const isMerge = type === "merge" || type === "upsert-merge";
  return {
    kind: letters[type],
    pk: toOrderedText(PartitionKey),
    rk: toOrderedText(RowKey),
    asked,
    body: stored === properties ? json : JSON.stringify(stored),
    dropped: isMerge ? droppedBy(stored) : undefined,
    bytes: Buffer.byteLength(json),
  };
}

function droppedBy(stored: UserProperties): string[] {
  const dropped: string[] = [];
  for (const name in stored) {
    // Annotations too.
    if (isSystemName(name)) continue;
    for (const member of [annotationOf(name), name + escapedMark])
      if (!Object.hasOwn(stored, member)) dropped.push(member);
  }
  return dropped;
}

/** The operation as a member of the list that the function for transactions takes. */
export function printOperation({ rk, asked, body, dropped }: PreparedOperation): string {
  const key = `"r":${JSON.stringify(rk)}`;
  const version = asked === undefined ? "" : `,"a":${asked.at},"v":${asked.version}`;
  const written = body === undefined ? "" : `,"b":${body}`;
  return `{${key}${version}${written}${dropped === undefined ? "" : `,"d":${JSON.stringify(dropped)}`}}`;
}
