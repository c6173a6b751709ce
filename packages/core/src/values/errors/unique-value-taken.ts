import { brand } from "./brand.ts";
import { StorageError } from "./storage-error.ts";

/** A row of a unique index is there already, and is another entity's. Nothing was written. */
export class UniqueValueTaken extends StorageError {
  static {
    brand(this, "UniqueValueTaken");
  }

  /** The index. */
  readonly indexName: string;
  /** The properties that it holds unique. */
  readonly properties: readonly string[];

  /** @param at - the change of the transaction that was refused */
  constructor(indexName: string, properties: readonly string[], at: number, cause: unknown) {
    super(
      "storage.entity-already-exists",
      `Another entity of the partition has this value of ${properties.join(", ")}, which the index ${indexName} holds unique.`,
      { applied: "no", status: 409, serviceCode: "EntityAlreadyExists", index: at },
      { cause },
    );
    this.indexName = indexName;
    this.properties = properties;
  }
}
