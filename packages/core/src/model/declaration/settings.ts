import { ModelError } from "../../values/errors/model-error.ts";
import { nearestName } from "../../values/errors/nearest-name.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import { accepted, aFunction, oneOf, trueOrFalse } from "../../values/options/checks.ts";
import type { Check, Checks } from "../../values/options/define-options.ts";
import type { EntityDefinition, IndexDefinition, KindDefinition, TableOptions } from "./entity-definition.ts";
import { undeclaredPolicies } from "./undeclared-policy.ts";

// The settings of classes, each described once: `defineEntity`, `defineKind` and the decorators take their lists,
// checks and sentences from here. If an interface gets a setting without a check, it does not compile.

const isText = (value: unknown): boolean => typeof value === "string";
const aText: Check<string> = accepted("a text", isText);
const namesOf = (...names: readonly string[]): ((value: unknown) => boolean) => {
  return (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(([name, text]) => names.includes(name) && isText(text));
};

/** The settings of a table. */
export const tableChecks: Checks<TableOptions> = {
  separator: accepted(
    'a text, or one for each key: { partitionKey: "_", rowKey: "!" }',
    (value) => isText(value) || namesOf("partitionKey", "rowKey")(value),
  ),
  kindProperty: aText,
  versionProperty: aText,
  unknownKind: oneOf("error", "skip", "base"),
  proof: oneOf("content", "marker"),
  outbox: trueOrFalse,
  indexStates: oneOf("recorded", "declared"),
  undeclared: oneOf(...undeclaredPolicies),
  scopedBy: aText,
  unscoped: trueOrFalse,
  formerKeys: accepted("the class with its former keys", (value) => typeof value === "function"),
};

/** The settings of a kind. */
export const kindChecks: Checks<Omit<KindDefinition, "name">> = {
  key: oneOf("prefix", "suffix"),
  formerly: accepted("a list of names", (value) => Array.isArray(value) && value.every(isText)),
  stored: trueOrFalse,
  when: aFunction,
};

/** The settings of an index. */
export const indexChecks: Checks<Omit<IndexDefinition, "name" | "rowKey">> = {
  copy: accepted(
    '"all", "none", or a list of properties',
    (value) => value === "all" || value === "none" || (Array.isArray(value) && value.every(isText)),
  ),
  unique: trueOrFalse,
  over: oneOf("partition", "table"),
  state: oneOf("building", "ready", "retired"),
  since: accepted("a version, 1 or greater", (value) => Number.isInteger(value) && Number(value) >= 1),
};

/** The members that a class declares itself; a kind has its table and its PartitionKey from its base. */
type ClassMember = Exclude<keyof EntityDefinition, "table" | "options" | "partitionKey">;
const classMembers: Readonly<Record<ClassMember, true>> = {
  rowKey: true,
  properties: true,
  indexes: true,
  kind: true,
  version: true,
  children: true,
  notStored: true,
  etagProperty: true,
  timestampProperty: true,
  create: true,
};

/** The names that each declaration accepts, in the order of messages. */
export const settingNames: Readonly<
  Record<"entity" | "kind" | "kindOfClass" | "index" | "tableDecorator" | "kindDecorator", readonly string[]>
> = {
  entity: ["table", "partitionKey", ...Object.keys(classMembers), ...Object.keys(tableChecks)],
  kind: Object.keys(classMembers),
  kindOfClass: ["name", ...Object.keys(kindChecks)],
  index: ["rowKey", ...Object.keys(indexChecks)],
  tableDecorator: [...Object.keys(tableChecks), "create"],
  kindDecorator: [...Object.keys(kindChecks), "create"],
};

/**
 * The declaration of a kind: its name, or its name and settings. @throws ModelError `model.declaration`,
 * `model.unknown-setting`
 */
export function kindDefinition(call: string, kind: unknown): KindDefinition {
  const definition = (typeof kind === "string" ? { name: kind } : (kind ?? {})) as KindDefinition;
  const { name } = definition;
  if (typeof name !== "string" || name === "")
    throw new ModelError(
      "model.declaration",
      `${call} needs the name of a kind. Write kind: "City", or kind: { name: "City", key: "prefix" }.`,
    );
  checkSettings("kind", definition, settingNames.kindOfClass, name);
  return definition;
}

/** Refuses a declaration that is not an object, or has unknown settings, which would otherwise be ignored. */
export function checkSettings(
  call: string,
  declaration: unknown,
  known: readonly string[],
  name: string,
): void {
  if (typeof declaration !== "object" || declaration === null)
    throw new ModelError(
      "model.declaration",
      `${call} takes an object of settings, but got ${describeType(declaration)}. It takes: ${known.join(", ")}.`,
    );
  const other = Object.keys(declaration).find((setting) => !known.includes(setting));
  if (other === undefined) return;
  const meant = nearestName(other, known);
  throw new ModelError(
    "model.unknown-setting",
    `${name} is declared with "${other}", which is not a setting.${meant === undefined ? "" : ` Did you mean ${meant}?`} Known: ${known.join(", ")}.` +
      (other === "key" ? ' A kind in the key is written kind: { name, key: "prefix" }.' : ""),
    { entity: name, setting: other },
  );
}

/**
 * Refuses a setting with a value that it does not accept.
 *
 * @param subject - the owner of the setting, for the start of the message: a class, or one of its indexes
 * @throws ModelError `model.option`
 */
export function checkValues<Settings extends object>(
  subject: string,
  settings: Settings,
  checks: Checks<Settings>,
  details: Readonly<Record<string, string>>,
): void {
  for (const [name, check] of Object.entries<Check>(checks)) {
    const value = (settings as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || check.accepts(value)) continue;
    throw new ModelError("model.option", `${subject} says ${name}: it takes ${check.takes}.`, details);
  }
}

/** The members that have a value. */
export const given = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
