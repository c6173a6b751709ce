import { isDate } from "node:util/types";
import type { EntityEntry } from "@partita/core";
import type { Cell, CellChange, CellValue, Row } from "../../api/cells.ts";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";
import { fieldsOf, type KnownClass, partNamed } from "../tables/describe-class.ts";

/** An entity of a class as a row of the page. @param entry - of the context that read it */
export function entityRow(core: StudioCore, known: KnownClass, entry: EntityEntry): Row {
  const { key, etag = "", entity } = entry;
  const { timestampProperty } = known.model;
  const timestamp =
    timestampProperty === undefined ? undefined : (entity as Record<string, unknown>)[timestampProperty];
  return {
    partitionKey: key?.partitionKey ?? "",
    rowKey: key?.rowKey ?? "",
    etag,
    timestamp: isDate(timestamp) ? timestamp.toISOString() : undefined,
    className: known.name,
    cells: entityCells(core, known, entity),
  };
}

/** The properties of an entity that have a value, in the order of its class. */
export function entityCells(core: StudioCore, { model }: KnownClass, entity: object): Cell[] {
  const plain = core.toPlain(entity, { hidden: true }) as Readonly<Record<string, unknown>>;
  return fieldsOf(model).flatMap(({ name, type }): Cell[] => {
    if (!Object.hasOwn(plain, name)) return [];
    const value = plain[name] as CellValue;
    // A key part of more than 32 bits may be a number in JavaScript. Cells have such numbers as text.
    return [[name, type, type === "Int64" && typeof value === "number" ? String(value) : value]];
  });
}

/**
 * Values of a class's properties, converted from JSON.
 *
 * @throws RequestError for a name that the class does not declare; SerializationError for a value that does
 * not fit
 */
export function hostValues(
  core: StudioCore,
  known: KnownClass,
  changes: readonly Pick<CellChange, "name" | "value">[],
): Map<string, unknown> {
  const { model, entityClass } = known;
  const names = new Set(fieldsOf(model).map(({ name }) => name));
  const unknown = changes.find(({ name }) => !names.has(name));
  if (unknown !== undefined)
    throw RequestError.wrongInput(
      `${known.name} declares no ${unknown.name}. It declares ${[...names].join(", ")}.`,
    );
  const given = changes.map(({ name, value }) => [name, plainOf(known, name, value)] as const);
  const kind = model.kind === undefined ? [] : [[model.options.kindProperty, model.kind.name] as const];
  const entity = core.fromPlain(entityClass, Object.fromEntries([...kind, ...given]), {
    hidden: true,
  }) as Record<string, unknown>;
  return new Map(given.map(([name, value]) => [name, value === null ? undefined : entity[name]]));
}

/** A cell's value in plain data. */
export function plainOf({ model }: KnownClass, name: string, value: CellValue): CellValue {
  const isNumber = partNamed(model, name)?.plainSchema?.["type"] === "integer";
  return isNumber && typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
}
