import { modelOfEntity, rowsOfNew, type StoredEntity } from "@partita/core/internal/planner";
import { type EntityClass, fromPlain, modelOf } from "@partita/core/models";
import { declarationOf, evaluateField, type Scope } from "./evaluate.ts";
import type { MemoryRows } from "./memory-rows.ts";

/** The origin of a stored row. */
interface Origin {
  /** The class, or the index. */
  readonly of: string;
  /** The entity's own row. */
  readonly own: StoredEntity;
}

export type Origins = Map<StoredEntity, Origin>;

/**
 * Stores the sample rows as saves of new entities would.
 *
 * @throws Error for text that has another form, and for two rows with one key; the errors of `fromPlain`
 */
export function storeRows(scope: Scope, text: string, into: MemoryRows, origins: Origins): void {
  if (text.trim() === "") return;
  const given: unknown = JSON.parse(JSON.stringify(evaluateField(scope, "rows", `(${text}\n)`)) ?? "null");
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new Error(form);
  for (const [name, rows] of Object.entries(given)) {
    const entityClass = declarationOf(scope, name);
    if (typeof entityClass !== "function") throw new Error(`The model declares no class "${name}". ${form}`);
    if (!Array.isArray(rows)) throw new Error(form);
    for (const row of rows) store(entityClass as EntityClass, row as Plain, into, origins);
  }
}

const form = 'Write rows by class: { "Post": [{ "channel": "Football" }] }.';

type Plain = Readonly<Record<string, unknown>>;

/** Maximum number of stored rows, which the page shows all. */
const maxRows = 1000;

function store(entityClass: EntityClass, plain: Plain, into: MemoryRows, origins: Origins): void {
  for (const { entity, rows } of rowsOfNew(withFills(entityClass, fromPlain(entityClass, plain)))) {
    const { name, table } = modelOfEntity(entity);
    for (const { row, index } of rows) {
      if (origins.size === maxRows) throw new Error(`The playground takes up to ${maxRows} stored rows.`);
      origins.set(row, { of: index === undefined ? name : `index ${index}`, own: rows[0].row });
      if (!into.add(table, row)) throw new Error(twice(name, row));
    }
  }
}

const twice = (name: string, { PartitionKey, RowKey }: StoredEntity): string =>
  `Two rows of ${name} have the key (${JSON.stringify(PartitionKey)}, ${JSON.stringify(RowKey)}), and a table holds only one. Add a property to the key that distinguishes them.`;

/** Properties that a save fills, such as `createdAt()`. */
function withFills<Entity extends object>(entityClass: EntityClass, entity: Entity): Entity {
  const values = entity as Record<string, unknown>;
  for (const { name, onSave } of modelOf(entityClass).properties)
    if (onSave !== undefined) values[name] ??= onSave.make({ now: () => Date.now() });
  return entity;
}
