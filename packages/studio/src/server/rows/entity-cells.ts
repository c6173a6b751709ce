import { isDate } from "node:util/types";
import type { EntityEntry } from "@partita/core";
import type { Cell, CellChange, CellValue, Row } from "../../api/cells.ts";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";
import { fieldsOf, type KnownClass } from "../tables/describe-class.ts";

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
  return fieldsOf(model).flatMap(({ name, type }): Cell[] =>
    Object.hasOwn(plain, name) ? [[name, type, plain[name] as CellValue]] : [],
  );
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
  const given = changes.map(({ name, value }) => [name, value] as const);
  const kind = model.kind === undefined ? [] : [[model.options.kindProperty, model.kind.name] as const];
  const entity = core.fromPlain(entityClass, Object.fromEntries([...kind, ...given]), {
    hidden: true,
  }) as Record<string, unknown>;
  return new Map(given.map(([name, value]) => [name, value === null ? undefined : entity[name]]));
}
