import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { brand, hasBrand } from "../../values/errors/brand.ts";
import { KeyError } from "../../values/errors/key-error.ts";
import { KindError } from "../../values/errors/kind-error.ts";
import { SerializationError } from "../../values/errors/serialization-error.ts";
import type { TableError } from "../../values/errors/table-error.ts";
import { UpgradeError } from "../../values/errors/upgrade-error.ts";

/**
 * What happens to rows that cannot be read as entities of their class: an unknown value of an enum, another EDM type,
 * a missing value, an upgrade that fails.
 *
 * - `error` (default): reading stops with an error that names the row.
 * - `skip`: the row is left out.
 * - `raw`: an {@link UnreadableRow} is returned instead of the entity.
 */
export type UnreadableRowPolicy = "error" | "skip" | "raw";

/** Every policy there is. */
export const unreadableRowPolicies: readonly UnreadableRowPolicy[] = ["error", "skip", "raw"];

/**
 * A row that could not be read as an entity. `unreadableRows("raw")` yields it instead of the entity. The context
 * does not track it.
 *
 * ```ts
 * for (const blog of await context.query(Blog).where({ channel: "news" }).unreadableRows("raw").toArray()) {
 *   if (blog instanceof UnreadableRow) console.warn(blog.error.message, blog.row);
 *   else console.log(blog.text);
 * }
 * ```
 */
export class UnreadableRow {
  static {
    brand(this, "UnreadableRow");
  }

  /** Whether a value is one, of any copy of this package. */
  static is(value: unknown): value is UnreadableRow {
    return hasBrand(value, this);
  }

  readonly table: string;
  /** The row in its stored form; frozen. */
  readonly row: StoredEntity;
  /** Why it could not be read: its code, and the property in its details. */
  readonly error: TableError;

  constructor(table: string, row: StoredEntity, error: TableError) {
    this.table = table;
    this.row = Object.freeze({ ...row });
    this.error = error;
    Object.freeze(this);
  }

  /**
   * The PartitionKey of the row.
   *
   * ```ts
   * for (const found of await context.query(Blog).where({ channel }).unreadableRows("raw").toArray())
   *   if (found instanceof UnreadableRow) console.warn(found.partitionKey, found.rowKey);
   * ```
   */
  get partitionKey(): string {
    return this.row.PartitionKey;
  }

  /**
   * The RowKey of the row.
   *
   * ```ts
   * for (const found of await context.query(Blog).where({ channel }).unreadableRows("raw").toArray())
   *   if (found instanceof UnreadableRow) console.warn(found.partitionKey, found.rowKey);
   * ```
   */
  get rowKey(): string {
    return this.row.RowKey;
  }
}

/**
 * The error of a row that cannot be read, with the row's table and keys in its message and details. Its class and
 * code stay the same. An error that names the row already, or is of another kind, is returned unchanged.
 */
export function errorOfRow(
  error: unknown,
  { table }: { readonly table: string },
  row: StoredEntity,
): unknown {
  if (!isOfValues(error) || error.details["table"] !== undefined) return error;
  const { code, message, details, constructor } = error;
  const { PartitionKey: partitionKey, RowKey: rowKey } = row;
  const named = `A row of the table ${table} (${JSON.stringify(partitionKey)}, ${JSON.stringify(rowKey)}) cannot be read. ${message} To read the other rows, set unreadableRows to "skip" or "raw".`;
  const more = { ...details, table, partitionKey, rowKey };
  return Reflect.construct(constructor, [
    code,
    named,
    more,
    ...("cause" in error ? [{ cause: error.cause }] : []),
  ]) as TableError;
}

/**
 * Reads a row as an entity, if an unreadable row is no error. If it cannot be read, the policy decides what is
 * returned instead.
 */
export function unlessUnreadable<Result>(
  policy: Exclude<UnreadableRowPolicy, "error">,
  read: () => Result,
  otherwise: (policy: "skip" | "raw", error: TableError) => Result,
): Result {
  try {
    return read();
  } catch (error) {
    if (!isOfValues(error) || error.details["table"] === undefined) throw error;
    return otherwise(policy, error);
  }
}

/** The policy where only entities count: a stored row cannot be changed or deleted as an entity, or have children. */
export const entitiesOnly = (policy: UnreadableRowPolicy): "error" | "skip" =>
  policy === "error" ? "error" : "skip";

/** Whether an error is about the values of a row. */
const isOfValues = (error: unknown): error is TableError =>
  SerializationError.is(error) || KeyError.is(error) || KindError.is(error) || UpgradeError.is(error);
