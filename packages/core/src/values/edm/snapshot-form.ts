import { brand, hasBrand } from "../errors/brand.ts";
import type { SnapshotValue } from "./serializer.ts";
import type { StoredValue } from "./stored-entity.ts";

/**
 * The snapshot value if the row has the value with another EDM type than declared. The row keeps that type until the value
 * is edited.
 */
export class SnapshotForm {
  static {
    brand(this, "SnapshotForm");
  }

  /** Whether a value is one, from any copy of this package. */
  static is(value: unknown): value is SnapshotForm {
    return hasBrand(value, this);
  }

  readonly stored: StoredValue;
  readonly annotation: StoredValue | undefined;
  /** The snapshot value under the declared type. */
  readonly snapshotValue: SnapshotValue;

  constructor(stored: StoredValue, annotation: StoredValue | undefined, snapshotValue: SnapshotValue) {
    this.stored = stored;
    this.annotation = annotation;
    this.snapshotValue = snapshotValue;
  }
}
