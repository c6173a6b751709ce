import { TableError } from "./table-error.ts";

/** What kind of conflict: the key is taken, the entity is gone, or its ETag is another one now. */
export type ConflictReason = "exists" | "missing" | "etag";

const conflictText: Record<ConflictReason, string> = {
  exists: "an entity with this key is stored already. Read it and change it, or choose another key",
  missing: "it is no longer stored: somebody removed it. Detach it, and add it again if it should exist",
  etag: "somebody else changed it since it was read. Detach it, read it again, and apply the change to what is stored now",
};

/** Somebody else was first. Codes `conflict.exists`, `conflict.missing`, `conflict.etag`. */
export class ConflictError extends TableError {
  readonly reason: ConflictReason;

  constructor(reason: ConflictReason, subject: string, cause: unknown) {
    super(
      `conflict.${reason}`,
      `${subject} was not saved: ${conflictText[reason]}.`,
      { reason, subject },
      { cause },
    );
    this.reason = reason;
  }
}
