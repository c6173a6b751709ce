import { brand } from "./brand.ts";
import { StorageError } from "./storage-error.ts";

/** A unique index. */
interface UniqueIndex {
  readonly name: string;
  readonly isOverTable: boolean;
}

/** Another entity already has a value of a unique index, or other programs are storing it. Nothing was written. */
export class UniqueValueTaken extends StorageError {
  static {
    brand(this, "UniqueValueTaken");
  }

  /** The name of the index. */
  readonly indexName: string;
  /** The properties that the index keeps unique. */
  readonly properties: readonly string[];
  /** `busy`: no entity has the value, but several programs try to store it. */
  readonly reason: "unique" | "busy";

  /** @param at - the position of the change in the refused transaction */
  constructor(
    { name, isOverTable }: UniqueIndex,
    properties: readonly string[],
    at: number,
    reason: "unique" | "busy",
    cause: unknown,
  ) {
    const what = `this value of ${properties.join(", ")}, which must be unique in the index ${name}`;
    super(
      "storage.entity-already-exists",
      reason === "busy"
        ? `Other programs are storing ${what}.`
        : `Another entity of the ${isOverTable ? "table" : "partition"} has ${what}.`,
      { applied: "no", status: 409, serviceCode: "EntityAlreadyExists", index: at },
      { cause },
    );
    this.indexName = name;
    this.properties = properties;
    this.reason = reason;
  }
}
