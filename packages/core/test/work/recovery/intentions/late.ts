import type { Client } from "./client.ts";
import type { Change, Row, RowOperation, State } from "./state.ts";

/**
 * Looks for delayed upserts that overwrote something newer of ours: what was lost becomes a pending change again, under the
 * version that was known, so that the next save is refused as a conflict.
 *
 * @returns the changes that are pending again
 */
export function meetLate(
  client: Client,
  rows: readonly State["rows"][number][],
  over: readonly boolean[],
): number[] {
  const overwritten: number[] = [];
  const { state, notes } = client;
  for (const attempt of client.late()) {
    for (const operation of attempt.operations) {
      const lost = lostChange(client, operation, rows[operation.row]);
      if (lost !== undefined) overwritten.push(client.intend([lost]));
    }
    const wasOver = over[state.attempts.indexOf(attempt)] === true;
    if (wasOver || notes.weak === "delayed upsert is forgotten after one read") attempt.state = "closed";
  }
  return overwritten;
}

/** A newer change that a delayed operation seems to have overwritten. */
function lostChange(
  { context, notes }: Client,
  operation: RowOperation,
  row: Row | undefined,
): Change | undefined {
  const entity = context.entities[operation.row]!;
  const isLate =
    row?.value === operation.value && (operation.type === "merge" || row.other === operation.other);
  if (!isLate || entity.wants >= 0 || entity.etag === row.etag) return undefined;
  if (entity.isDetached) {
    if (operation.type !== "upsert" || notes.weak === "deleted row is not read again") return undefined;
    // The version that was deleted: it does not come back.
    Object.assign(entity, { isDetached: false, etag: "0" });
    return { type: "delete", row: operation.row, value: 0 };
  }
  const isKnown = entity.etag !== undefined && entity.etag !== "?" && entity.etag !== "*";
  if (!isKnown || row.value === entity.value) return undefined;
  return { type: "put", row: operation.row, value: entity.value };
}
