import { parseDateTime } from "@partita/core/protocol";
import { epochOffsetMs } from "@partita/core/internal";
import { StorageError } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { oldestFirst } from "@partita/core/keys";
import type { MessageReceipt, PeekedMessage, ReceivedMessage } from "../port/queue-storage.ts";

/*
 * A message is stored as a row with PartitionKey `<queue>!<shard>` and RowKey `<time when it is
 * visible>!<ulid>`. Each put, receive and update creates a new, unique RowKey, so a RowKey identifies one
 * version of one message. It serves as the receipt, and if it is stored, the write that created it was
 * applied.
 */

/** The partition of a shard. All characters of a queue's name are valid in keys. */
export const partitionOf = (queue: string, shard: number): string => `${queue}!${shard}`;

/** A RowKey that becomes visible at this time. */
export const rowKeyOf = (visibleAt: number, id: string): string => `${visibleFrom(visibleAt)}!${id}`;

/** The first part of the RowKey of a message that becomes visible at this time: 19 digits of ticks. */
export const visibleFrom = (time: number): string => oldestFirst.encode(new Date(time)) as string;

const visibleAtOf = (rowKey: string): Date =>
  new Date(Number(rowKey.slice(0, "000000000000000".length)) - epochOffsetMs);

/** The values of a new message. */
export interface NewMessage {
  readonly id: string;
  readonly text: string;
  /** Distinguishes the messages of this queue from those of an earlier queue with the same name. */
  readonly generation: string;
  readonly insertedAt: number;
  readonly expiresAt: number | undefined;
}

/** The row of a new message. */
export const newRow = (partition: string, rowKey: string, message: NewMessage): StoredEntity => ({
  PartitionKey: partition,
  RowKey: rowKey,
  Id: message.id,
  Queue: message.generation,
  Count: 0,
  ...bodyOf(message.text),
  ...dateTime("Inserted", message.insertedAt),
  ...(message.expiresAt !== undefined && dateTime("Expires", message.expiresAt)),
});

/** Stored as bytes, because a String is limited to 32,768 UTF-16 units. */
export const bodyOf = (text: string): object => ({
  "Body@odata.type": "Edm.Binary",
  Body: Buffer.from(text).toString("base64"),
});

const dateTime = (name: string, time: number): object => ({
  [`${name}@odata.type`]: "Edm.DateTime",
  [name]: new Date(time).toISOString(),
});

/** A stored row with another RowKey and some changes. */
export function movedRow(row: StoredEntity, RowKey: string, changes: object): StoredEntity {
  const { Timestamp: _timestamp, "odata.etag": _etag, ...stored } = row;
  return { ...stored, ...changes, PartitionKey: row.PartitionKey, RowKey };
}

const idOf = (row: StoredEntity): string => String(row["Id"]);

export const deliveriesOf = (row: StoredEntity): number => Number(row["Count"]);

/** Milliseconds since 1970. Undefined for a message that does not expire. */
export function expiresAtOf(row: StoredEntity): number | undefined {
  const text = row["Expires"];
  return text === undefined ? undefined : parseDateTime(String(text))?.ms;
}

/** The attributes of a message that every reader sees. */
export function peekedMessage(row: StoredEntity): PeekedMessage {
  const expiresAt = expiresAtOf(row);
  return {
    id: idOf(row),
    text: Buffer.from(String(row["Body"]), "base64").toString(),
    deliveries: deliveriesOf(row),
    insertedAt: new Date(parseDateTime(String(row["Inserted"]))?.ms ?? Number.NaN),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
  };
}

/** The attributes of a message for the worker that received it. */
export const receivedMessage = (row: StoredEntity, shard: number): ReceivedMessage => ({
  ...peekedMessage(row),
  receipt: receiptOf(shard, row.RowKey, idOf(row)),
  visibleAt: visibleAtOf(row.RowKey),
});

/** The location of a message's version, which is encoded in its receipt. */
export interface MessagePlace {
  readonly shard: number;
  readonly rowKey: string;
}

export const receiptOf = (shard: number, rowKey: string, id: string): string => `${shard}!${rowKey}!${id}`;

const receiptForm = /^(\d{1,2})!(\d{19}![0-9A-Z]{26})!([0-9A-Z]{26})$/;

/** @throws StorageError `queue.receipt` if the receipt does not belong to this message */
export function placeOf(queue: string, { id, receipt }: MessageReceipt): MessagePlace {
  const [, shard, rowKey, owner] = receiptForm.exec(receipt) ?? [];
  if (rowKey !== undefined && owner === id) return { shard: Number(shard), rowKey };
  throw new StorageError(
    "queue.receipt",
    `The receipt does not belong to this message of queue "${queue}", or another store returned it. Pass the result of put(), receive() or update().`,
    { applied: "no" },
  );
}
