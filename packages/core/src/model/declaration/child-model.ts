import { ModelError } from "../../values/errors/model-error.ts";
import { type KeyTemplate, splitKey } from "../../values/keys/key-template.ts";
import type { EntityModel } from "./entity-model.ts";
import { isEntity, modelOf } from "./model-registry.ts";

/**
 * The model of the children in a property, after checking that their keys start with the parent's.
 *
 * @throws ModelError `model.children`
 */
export function childModelOf(parent: EntityModel, property: string): EntityModel {
  const relation = parent.children.find((each) => each.property === property);
  if (relation === undefined)
    throw new ModelError(
      "model.children",
      `${parent.name} declares no children "${property}". Declared: ${parent.children.map((each) => each.property).join(", ") || "none"}.`,
      { entity: parent.name, property },
    );
  // A class is a function as well; it was meant to be the result of one.
  if (isEntity((relation.of as unknown as { readonly prototype?: object }).prototype ?? {}))
    throw new ModelError(
      "model.children",
      `${parent.name}.${property} needs a function that returns the class of its children: () => ${relation.of.name}. It is called on first use, so the class may be declared or imported later.`,
      { entity: parent.name, property },
    );
  const child = modelOf(relation.of());
  const problem = problemOf(parent, child);
  if (problem === undefined) return child;
  throw new ModelError(
    "model.children",
    `${parent.name}.${property} cannot hold ${child.name}: ${problem}. Children share the table and PartitionKey of their parent, and their RowKey is the parent's with further parts after it.`,
    { entity: parent.name, property, child: child.name },
  );
}

function problemOf(parent: EntityModel, child: EntityModel): string | undefined {
  if (parent.table.toLowerCase() !== child.table.toLowerCase()) return "they are in different tables";
  if (parent.kind === undefined || child.kind === undefined) return "not both have a kind";
  if (!begins(child.partitionKey, parent.partitionKey) || !begins(parent.partitionKey, child.partitionKey))
    return "their PartitionKeys have different parts";
  if (parent.rowKey.parts.length === 0 || !begins(child.rowKey, parent.rowKey))
    return "its RowKey does not begin with the parent's parts";
  return child.rowKey.parts.length > parent.rowKey.parts.length
    ? undefined
    : "its RowKey has no further part";
}

const begins = (longer: KeyTemplate, shorter: KeyTemplate): boolean =>
  (longer.separator === shorter.separator || shorter.parts.length === 1) &&
  shorter.parts.every(({ property, format }, i) => {
    const other = longer.parts[i];
    return other?.property === property && other?.format.format === format.format;
  });

/** The RowKey of a child's parent: the leading parts of the child's RowKey. */
export function parentKeyOf(parent: EntityModel, child: EntityModel, rowKey: string): string {
  const texts = splitKey(child.rowKey, rowKey) ?? [];
  return texts.slice(0, parent.rowKey.parts.length).join(child.rowKey.separator);
}
