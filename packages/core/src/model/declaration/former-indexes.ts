import { ModelError } from "../../values/errors/model-error.ts";
import type { EntityClass } from "./entity-definition.ts";
import type { EntityModel, IndexModel } from "./entity-model.ts";

/**
 * The model with the indexes of a supported older release that its class no longer declares: their rows are written for
 * the queries of that release.
 *
 * @throws ModelError `model.supports`, with class, index and remedy
 */
export function withFormerIndexes(
  model: EntityModel,
  modelOf: (entityClass: EntityClass) => EntityModel,
): EntityModel {
  const { name, table, version, indexes, reservedPrefixes } = model;
  const declaring = version?.chain?.formerIndexes;
  if (declaring === undefined) return model;
  const former = modelOf(declaring as EntityClass);
  const number = former.version?.number ?? 1;
  if (former.table !== table || number !== version?.lowest)
    throw refused(
      name,
      undefined,
      `${name} keeps the indexes of ${former.name}, which is of version ${number} of the table ${former.table}. Name the class of version ${version?.lowest} of ${table}: supports(${version?.lowest}, { indexes: … })`,
    );
  const own = new Set(indexes.map(({ definition }) => definition));
  const kept = former.indexes
    .filter(({ definition, state }) => !own.has(definition) && state !== "retired")
    .map((index): IndexModel => ({ ...index, former, isUnread: true }));
  for (const { name: index, prefix } of kept) {
    const other = indexes.find((each) => each.name === index || overlap(each.prefix, prefix));
    if (other !== undefined)
      throw refused(
        name,
        index,
        `The index ${other.name} of ${name} differs from ${index} of ${former.name}, which is still supported, and their rows could not be distinguished. Give it another name, and begin its rows with another constant(…)`,
      );
  }
  const prefixes = [...reservedPrefixes, ...kept.map(({ prefix }) => prefix)];
  return Object.freeze({
    ...model,
    indexes: Object.freeze([...indexes, ...kept]),
    reservedPrefixes: prefixes,
  });
}

const overlap = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);

const refused = (entity: string, index: string | undefined, problem: string): ModelError =>
  new ModelError("model.supports", `${problem}.`, { entity, ...(index !== undefined && { index }) });
