import { parseDateTime } from "@partita/core/protocol";
import { epochOffsetMs } from "@partita/core/internal";
import { StorageError } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { oldestFirst } from "@partita/core/keys";
import type { MessageReceipt, PeekedMessage, ReceivedMessage } from "../port/queue-storage.ts";

/*
 * A message as a row: PartitionKey `<queue>!<shard>`, RowKey `<when it is visible>!<ulid>`. Each put, receive and update
 * gives it a RowKey that no row ever had, so that a RowKey stands for one version of one message: it is the receipt, and
 * finding it stored proves that the write which made it was carried out.
 */

/** Where the messages of a shard are. A queue's name has no character that a key cannot have. */
export const partitionOf = (queue: string, shard: number): string => `${queue}!${shard}`;

/** A RowKey that is visible from this time on. */
export const rowKeyOf = (visibleAt: number, id: string): string => `${visibleFrom(visibleAt)}!${id}`;

/** The first part of the RowKey of a message that is visible from this time on: 19 digits of ticks. */
export const visibleFrom = (time: number): string => oldestFirst.encode(new Date(time)) as string;

const visibleAtOf = (rowKey: string): Date =>
  new Date(Number(rowKey.slice(0, "000000000000000".length)) - epochOffsetMs);

/** What a new message is made of. */
export interface NewMessage {
  readonly id: string;
  readonly text: string;
  /** Distinguishes the messages of this queue from those of an earlier queue of the same name. */
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

/** As bytes: a String holds 32,768 UTF-16 units only. */
export const bodyOf = (text: string): object => ({
  "Body@odata.type": "Edm.Binary",
  Body: Buffer.from(text).toString("base64"),
});

const dateTime = (name: string, time: number): object => ({
  [`${name}@odata.type`]: "Edm.DateTime",
  [name]: new Date(time).toISOString(),
});

/** A stored row under another RowKey, with what changes. */
export function movedRow(row: StoredEntity, RowKey: string, changes: object): StoredEntity {
  const { Timestamp: _timestamp, "odata.etag": _etag, ...stored } = row;
  return { ...stored, ...changes, PartitionKey: row.PartitionKey, RowKey };
}

const idOf = (row: StoredEntity): string => String(row["Id"]);

export const deliveriesOf = (row: StoredEntity): number => Number(row["Count"]);

/** Milliseconds since 1970; undefined for a message that does not expire. */
export function expiresAtOf(row: StoredEntity): number | undefined {
  const text = row["Expires"];
  return text === undefined ? undefined : parseDateTime(String(text))?.ms;
}

/** What a message shows to everybody. */
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

/** What a message shows to its holder. */
export const receivedMessage = (row: StoredEntity, shard: number): ReceivedMessage => ({
  ...peekedMessage(row),
  receipt: receiptOf(shard, row.RowKey, idOf(row)),
  visibleAt: visibleAtOf(row.RowKey),
});

/** Where a version of a message is: what a receipt says. */
export interface MessagePlace {
  readonly shard: number;
  readonly rowKey: string;
}

export const receiptOf = (shard: number, rowKey: string, id: string): string => `${shard}!${rowKey}!${id}`;

const receiptForm = /^(\d{1,2})!(\d{19}![0-9A-Z]{26})!([0-9A-Z]{26})$/;

/** @throws StorageError `queue.receipt` for what no table queue gave for this message */
export function placeOf(queue: string, { id, receipt }: MessageReceipt): MessagePlace {
  const [, shard, rowKey, owner] = receiptForm.exec(receipt) ?? [];
  if (rowKey !== undefined && owner === id) return { shard: Number(shard), rowKey };
  throw new StorageError(
    "queue.receipt",
    `The receipt is none of this message of queue "${queue}", or another store gave it. Pass what put(), receive() or update() returned.`,
    { applied: "no" },
  );
}
