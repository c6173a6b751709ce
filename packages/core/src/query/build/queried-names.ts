import { perModel } from "../../model/declaration/per-model.ts";
import { QueryError } from "../../values/errors/query-error.ts";
import { type EntityModel, propertyNames } from "../../model/declaration/entity-model.ts";

/** The properties that every class of a query declares. */
export function commonNames(models: readonly EntityModel[]): ReadonlySet<string> {
  const [first] = models;
  if (first !== undefined && models.length === 1) return namesOf(first);
  const [names = new Set<string>(), ...others] = models.map(namesOf);
  return new Set([...names].filter((name) => others.every((other) => other.has(name))));
}

/** Cached, since every condition needs them. */
const namesOf = perModel(
  (model): ReadonlySet<string> =>
    new Set([
      ...propertyNames(model),
      ...model.properties.flatMap(({ name, place }) => (place === undefined ? [] : [name])),
    ]),
);

/**
 * The error for a name that a query over these classes cannot use.
 *
 * @returns QueryError `query.system-property` for a property that receives ETag or Timestamp, otherwise
 *   `query.unknown-property`
 */
export function notQueried(entity: string, property: string, models: readonly EntityModel[]): QueryError {
  const system = systemPropertyOf(property, models);
  return system === undefined
    ? new QueryError(
        "query.unknown-property",
        `${entity} does not store a property "${property}", so it cannot be queried. Declared: ${[...commonNames(models)].join(", ")}.`,
        { entity, property },
      )
    : new QueryError(
        "query.system-property",
        `${entity}.${property} receives the ${system} of each row and is not a stored property, so where() cannot compare it. ${remedies[system]}`,
        { entity, property, system },
      );
}

/** The error for a property that is read with every row, regardless of the selection; undefined for any other. */
export function alwaysRead(entity: string, property: string, model: EntityModel): QueryError | undefined {
  const system = systemPropertyOf(property, [model]);
  if (system === undefined) return undefined;
  return new QueryError(
    "query.system-property",
    `${entity}.${property} receives the ${system}, which comes with every row. Leave it out of select().`,
    { entity, property, system },
  );
}

type SystemProperty = "ETag" | "Timestamp";

const remedies: Readonly<Record<SystemProperty, string>> = {
  ETag: "Compare it after reading.",
  Timestamp:
    "Write filter(odata`Timestamp ge ${date}`), which does not narrow the key range, or store the time in a separate property.",
};

function systemPropertyOf(property: string, models: readonly EntityModel[]): SystemProperty | undefined {
  if (models.some(({ etagProperty }) => etagProperty === property)) return "ETag";
  return models.some(({ timestampProperty }) => timestampProperty === property) ? "Timestamp" : undefined;
}
