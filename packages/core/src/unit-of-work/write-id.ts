import { writeIdProperty } from "../model/entity-model.ts";
import type { ChangeSet } from "./tracked-entity.ts";

/** 96 random bits, as 16 characters. */
export const newWriteId = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("base64url");

/** The change with the save's id in its row, where the table asks for it. */
export function withWriteId(change: ChangeSet, id: string): ChangeSet {
  const { operation, entry } = change;
  if (!entry.model.options.writeId || operation.type === "delete") return change;
  const entity = { ...operation.entity, [writeIdProperty]: id };
  return { ...change, operation: { ...operation, entity } };
}
