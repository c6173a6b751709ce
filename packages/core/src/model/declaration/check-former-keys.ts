import { ModelError } from "../../values/errors/model-error.ts";
import type { KeyTemplate } from "../../values/keys/key-template.ts";
import { type EntityModel, findProperty } from "./entity-model.ts";

/**
 * Refuses former keys if rows can't be found or moved with them.
 *
 * @throws ModelError `model.former-keys`, with class, property and remedy
 */
export function checkFormerKeys(model: EntityModel, former: EntityModel): void {
  const refuse = (problem: string, property?: string): never => {
    throw new ModelError("model.former-keys", `${model.name} has formerKeys: ${former.name}, ${problem}`, {
      entity: model.name,
      former: former.name,
      ...(property !== undefined && { property }),
    });
  };
  if (former.options.formerKeys !== undefined)
    refuse("which has formerKeys itself. Finish that move first, and remove its formerKeys.");
  for (const name of keyNames(former))
    if (!model.keyProperties.some((property) => property.name === name))
      refuse(
        `and its key has "${name}", which is not part of the key of ${model.name}: rows can't be found by their former key. Add it to the key, or move the rows without formerKeys.`,
        name,
      );
  for (const name of keyNames(model))
    if (findProperty(former, name) === undefined)
      refuse(
        `which has no property "${name}": the new key can't be made from its rows. Declare it there, or move the rows by moveRows with key.`,
        name,
      );
  for (const setting of ["kindProperty", "versionProperty"] as const)
    if (model.options[setting] !== former.options[setting])
      refuse(`but not the same ${setting}. Give both the same: rows are moved unchanged.`);
  if (model.table.toLowerCase() !== former.table.toLowerCase()) {
    const overTable = [...model.indexes, ...former.indexes].find((index) => index.isOverTable);
    if (overTable !== undefined)
      refuse(
        `which is in another table, but the index ${overTable.name} is unique over its table. Copy the rows and build the index, or keep the table.`,
        overTable.name,
      );
    return;
  }
  if (textOf(model) === textOf(former))
    refuse("which has the same keys in the same table. Remove formerKeys.");
  if ([model.partitionKey, model.rowKey].every(takesAnyText))
    refuse(
      "but any text is a valid key of it, so former keys in the same table can't be distinguished. Give it another table, or begin its RowKey with constant(…).",
    );
}

/** The properties in a class's keys. */
const keyNames = ({ partitionKey, rowKey }: EntityModel): readonly string[] => [
  ...new Set(
    [...partitionKey.parts, ...rowKey.parts].flatMap(({ property, format }) =>
      property === undefined || format.literal !== undefined ? [] : [property],
    ),
  ),
];

/** Whether a template reads text that no format writes. */
const takesAnyText = ({ parts }: KeyTemplate): boolean =>
  parts.length === 1 && parts[0]?.format.decode("any text") !== undefined;

const textOf = ({ partitionKey, rowKey }: EntityModel): string =>
  JSON.stringify([partitionKey, rowKey].map(textOfTemplate));

const textOfTemplate = ({ separator, parts }: KeyTemplate): unknown => [
  separator,
  parts.map(({ property, format }) => [property, format.format, format.literal]),
];
