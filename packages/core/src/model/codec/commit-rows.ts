import type { EntityKey, StoredEntity, StoredValue } from "../../values/edm/stored-entity.ts";
import { outboxPrefix, rowProperty } from "../declaration/entity-model.ts";

/*
 * Rows that are no entities and represent a transaction: because of them, storage refuses to apply it a second time.
 */

/**
 * A marker. `written`: a transaction inserted it with its changes, and was applied. `closed`: it was inserted instead
 * of the transaction, which can therefore never be applied.
 */
export const markerRow = (
  { partitionKey, rowKey }: EntityKey,
  state: "written" | "closed",
): StoredEntity => ({
  PartitionKey: partitionKey,
  RowKey: rowKey,
  [rowProperty]: "marker",
  State: state,
});

/** How long a marker stays at least, in milliseconds: longer than any request that may still arrive. */
export const markerLifeMs = 3_600_000;

/** The RowKey of a message in an outbox. */
export const outboxRowKey = (id: string): string => outboxPrefix + id;

/** The row of a message in an outbox: it has no `State`, until it is handled. */
export const outboxRow = (
  { partitionKey, rowKey }: EntityKey,
  properties: Readonly<Record<string, StoredValue>>,
): StoredEntity => ({ ...properties, PartitionKey: partitionKey, RowKey: rowKey, [rowProperty]: "outbox" });

/** Whether a row of an outbox holds a message that is not handled yet. */
export const isMessageRow = (row: StoredEntity): boolean => row["State"] === undefined;

export const isClosedMarker = (row: StoredEntity): boolean => row["State"] === "closed";
