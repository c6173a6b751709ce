import { brand, hasBrand } from "../errors/brand.ts";
import type { SnapshotValue } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

/** What a snapshot holds of a value whose row has it under another EDM type than declared: it stays so until it is edited. */
export class SnapshotForm {
  static {
    brand(this, "SnapshotForm");
  }

  /** Whether a value is one, of any copy of this package. */
  static is(value: unknown): value is SnapshotForm {
    return hasBrand(value, this);
  }

  readonly stored: StoredValue;
  readonly annotation: StoredValue | undefined;
  /** What it would be under the declared type. */
  readonly snapshotValue: SnapshotValue;

  constructor(stored: StoredValue, annotation: StoredValue | undefined, snapshotValue: SnapshotValue) {
    this.stored = stored;
    this.annotation = annotation;
    this.snapshotValue = snapshotValue;
  }
}
