import { brand } from "./brand.ts";
import { StorageError } from "./storage-error.ts";

/** Another entity already has a row in the unique index. Nothing was written. */
export class UniqueValueTaken extends StorageError {
  static {
    brand(this, "UniqueValueTaken");
  }

  /** The name of the index. */
  readonly indexName: string;
  /** The properties that the index keeps unique. */
  readonly properties: readonly string[];

  /** @param at - the position of the change in the refused transaction */
  constructor(indexName: string, properties: readonly string[], at: number, cause: unknown) {
    super(
      "storage.entity-already-exists",
      `Another entity of the partition has this value of ${properties.join(", ")}, which must be unique in the index ${indexName}.`,
      { applied: "no", status: 409, serviceCode: "EntityAlreadyExists", index: at },
      { cause },
    );
    this.indexName = indexName;
    this.properties = properties;
  }
}
