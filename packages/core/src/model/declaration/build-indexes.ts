import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { isDerived } from "../../values/keys/derived-format.ts";
import type { KeyPart, KeyTemplate } from "../../values/keys/key-template.ts";
import { verbatim } from "../../values/keys/verbatim.ts";
import { traceProperty } from "../upgrade/trace-property.ts";
import { buildKeys } from "./build-keys.ts";
import { checkValues, indexChecks } from "./settings.ts";
import { indexDefinition } from "./index-definition.ts";
import { acceptsValuesOf } from "./index-parts.ts";
import type { EntityDefinition, IndexDefinition, KeyPartDefinition } from "./entity-definition.ts";
import {
  type EntityModel,
  type IndexModel,
  type KindModel,
  markerPrefix,
  outboxPrefix,
  type PropertyModel,
  propertiesNamed,
} from "./entity-model.ts";

/** The maximum number of indexes in a class: each one adds a row to the transaction of every entity. */
const maxIndexes = 20;

/** The part of an index's RowKey that holds the entity's complete RowKey. */
export const mainRowKeyPart = "\0RowKey";

/** Makes the model of index rows from a definition and its properties. */
type ImageOf = (definition: EntityDefinition, properties: readonly PropertyModel[]) => StoredEntity;

/** @throws ModelError naming class, index and remedy */
export function buildIndexes(
  model: EntityModel,
  definition: EntityDefinition,
  imageOf: ImageOf,
): readonly IndexModel[] {
  const { name, rowKey } = model;
  const definitions = definition.indexes ?? [];
  if (definitions.length > maxIndexes)
    throw indexError(
      "model.index-limit",
      name,
      undefined,
      `${name} has ${definitions.length} indexes; a class can have at most ${maxIndexes}. Each is one more row in every transaction. Remove those that no query needs.`,
    );
  for (const [at, { name: index }] of definitions.entries())
    if (index === primaryPath || definitions.findIndex((each) => each.name === index) < at)
      throw indexError(
        "model.index-twice",
        name,
        index,
        `${name} has ${index === primaryPath ? `an index named "${primaryPath}", which is the name of its own keys` : `two indexes named "${index}"`}. Choose another name.`,
      );
  const indexes = definitions.map((index) => buildIndex(model, definition, index, imageOf));
  const own = prefixOf(rowKey);
  const others: Prefixed[] = [
    ...(own === undefined ? [] : [{ name: "its own RowKey", prefix: own }]),
    ...(model.options.proof === "marker"
      ? [{ name: "the markers of transactions", prefix: markerPrefix }]
      : []),
    ...(model.options.outbox ? [{ name: "the messages of its outbox", prefix: outboxPrefix }] : []),
  ];
  checkPrefixes(name, [...others, ...indexes]);
  return indexes;
}

/** The name with which a query requests the class's own keys. */
export const primaryPath = "primary";

function buildIndex(
  model: EntityModel,
  definition: EntityDefinition,
  index: IndexDefinition,
  imageOf: ImageOf,
): IndexModel {
  const { name: indexName, copy: declaredCopy = "all", unique: isUnique = false, over, state } = index;
  const isUnread = isAwaited(model, index);
  const copy = isUnique ? "none" : declaredCopy;
  checkParts(model, index);
  const holdsRowKey = !isUnique && index.rowKey.length > 0 && holdsAll(model.rowKey, index.rowKey);
  const declared = templateOf(model, definition, index.rowKey, holdsRowKey || isUnique);
  const prefix = prefixOf(declared);
  if (prefix === undefined)
    throw indexError(
      "model.index-prefix",
      model.name,
      indexName,
      `The index ${indexName} of ${model.name} starts with a part without a literal prefix, so its rows could not be distinguished from entities. Start it with one: constant("${indexName.toUpperCase()}:", format).`,
    );
  const hasTail = !holdsRowKey && !isUnique;
  const tail: KeyPart = { property: mainRowKeyPart, format: verbatim };
  const copied = copiedOf(model, index, copy);
  const properties = copied.map((at) => model.properties[at] as PropertyModel);
  // Rows of unique indexes have no kind: the kind of the entity's own row counts.
  const kind = isUnique ? undefined : model.kind && kindOfIndex(model.kind, indexName);
  const rowKey = hasTail ? { ...declared, parts: [...declared.parts, tail] } : declared;
  return {
    name: indexName,
    isUnique,
    isOverTable: over === "table",
    copy,
    state,
    definition: indexDefinition({ name: indexName, prefix, rowKey, isUnique, over, copy }, model),
    prefix,
    isUnread,
    former: undefined,
    rowKey,
    holdsRowKey,
    copied,
    sources: sourcesOf(model, index.rowKey),
    rows: {
      ...model,
      name: `${model.name}.${indexName}`,
      index: indexName,
      options: { ...model.options, proof: "content", outbox: false },
      kind,
      ...keysOf(model, hasTail ? [...declared.parts, ...model.rowKey.parts] : declared.parts),
      properties,
      emptyImage: imageOf(definition, properties),
      noValues: properties.map(() => undefined),
      children: [],
      etagProperty: undefined,
      timestampProperty: undefined,
    },
  };
}

/** Whether older releases still run that do not write the index. */
const isAwaited = ({ version }: EntityModel, { since }: IndexDefinition): boolean =>
  version !== undefined && since !== undefined && version.lowest < since;

/** The key template of the declared parts, which may be followed by more parts. */
function templateOf(
  { name, rowKey }: EntityModel,
  { kind: _kind, ...definition }: EntityDefinition,
  parts: readonly KeyPartDefinition[],
  isComplete: boolean,
): KeyTemplate {
  const further = isComplete ? [] : definition.rowKey;
  const { rowKey: built } = buildKeys(name, {
    ...definition,
    options: { ...definition.options, separator: { rowKey: rowKey.separator } },
    rowKey: [...parts, ...further],
  });
  return { ...built, parts: built.parts.slice(0, parts.length) };
}

/** The keys of an index's rows, and where their properties come from. */
function keysOf(
  { partitionKey, rowKey, keyProperties, derivedParts }: EntityModel,
  parts: readonly KeyPart[],
): Pick<EntityModel, "rowKey" | "keyProperties" | "derivedParts" | "hasVerbatimKeys"> {
  const own = parts.flatMap(({ property: name, isDerived: holdsLess }, index) =>
    name === undefined || holdsLess === true ? [] : [{ name, key: "RowKey" as const, index }],
  );
  const derived = parts.flatMap((part, index) =>
    part.isDerived === true ? [{ key: "RowKey" as const, index, part }] : [],
  );
  return {
    rowKey: { key: "RowKey", separator: rowKey.separator, parts },
    keyProperties: [...keyProperties.filter(({ key }) => key === partitionKey.key), ...own],
    derivedParts: [...derivedParts.filter(({ key }) => key === partitionKey.key), ...derived],
    hasVerbatimKeys: false,
  };
}

/** @throws ModelError for parts without a property of the class, or with properties that upgrades compute */
function checkParts(model: EntityModel, definition: IndexDefinition): void {
  const { name: index, rowKey, copy, unique, over, state, since } = definition;
  const { name, version } = model;
  const fail = (code: string, problem: string): ModelError =>
    indexError(code, name, index, `The index ${index} of ${name} ${problem}`);
  checkValues(`The index ${index} of ${name}`, { copy, unique, over, state, since }, indexChecks, {
    entity: name,
    index,
  });
  if (state !== undefined && state !== "retired" && model.options.indexStates === "recorded")
    throw fail(
      "model.option",
      `declares state: "${state}", which storage records itself. Leave it out. If credentials may not read the table PartitaSchema, declare the table with indexStates: "declared".`,
    );
  if (over !== undefined && unique !== true) throw fail("model.option", "declares over. Add unique: true.");
  if (rowKey.length === 0)
    throw fail("model.index-part", "has no parts. Name the parts that its rows are sorted by.");
  for (const { property, format } of rowKey) {
    if (format.literal !== undefined) continue;
    const stored = model.properties.find((each) => each.name === property);
    const isKey = model.keyProperties.some((each) => each.name === property);
    if (stored === undefined && !isKey)
      throw fail("model.index-part", `has the part ${property}, which is not a property of the class.`);
    if (stored !== undefined && !acceptsValuesOf(format, stored))
      throw fail(
        "model.index-part",
        `writes ${property} as ${format.format}, which takes ${format.accepts}. Choose a format for its type.`,
      );
    const chain = version?.chain;
    const trace = stored !== undefined && chain !== undefined && traceProperty(chain, stored.storedName);
    if (isAwaited(model, definition)) continue;
    if (trace && (trace.unknownBelow !== undefined || trace.added !== undefined))
      throw fail(
        "model.index-crosses-upgrade",
        `has the part ${property}, which rows of older versions lack or have in another form. Upgrade the table and declare it clean first (upgradeTable, then the chain's oldest), or leave the part out.`,
      );
  }
  if (unique === true && rowKey.some(({ format }) => isDerived(format)))
    throw fail(
      "model.index-part",
      "is unique, but one of its parts holds less than its property. Use another format.",
    );
}

/** Whether parts hold every part of the entity's own RowKey. */
const holdsAll = ({ parts }: KeyTemplate, index: readonly KeyPartDefinition[]): boolean =>
  parts.every(
    ({ property, format, isDerived: holdsLess }) =>
      holdsLess !== true &&
      (property === undefined
        ? format.literals?.length === 1
        : format.literal !== undefined ||
          index.some((part) => part.property === property && !isDerived(part.format))),
  );

function copiedOf(model: EntityModel, { name: index }: IndexDefinition, copy: IndexModel["copy"]): number[] {
  const { name, properties } = model;
  if (copy === "none") return [];
  if (copy === "all") return [...properties.keys()];
  return copy.flatMap((property) => {
    const named = propertiesNamed(model, property).map((each) => properties.indexOf(each));
    if (named.length > 0) return named;
    throw indexError(
      "model.index-copy",
      name,
      index,
      `The index ${index} of ${name} copies ${String(property)}, which is not a stored property of the class. Parts of the key need no copy.`,
    );
  });
}

/** Index rows have a kind of their own, so programs that do not know the index never read them as entities. */
const kindOfIndex = (kind: KindModel, index: string): KindModel => {
  const names = kind.names.map((each) => kindNameIn(index, each));
  return { ...kind, name: kindNameIn(index, kind.name), key: undefined, names };
};

/** The kind of index rows: the entity's kind and the name of the index. */
export const kindNameIn = (index: string, kind: string): string => `${kind}~${index}`;

const sourcesOf = ({ properties }: EntityModel, parts: readonly KeyPartDefinition[]): number[] =>
  parts.flatMap(({ property, format }) => {
    const at = format.literal === undefined ? properties.findIndex(({ name }) => name === property) : -1;
    return at < 0 ? [] : [at];
  });

/** The common prefix of all keys of a template; undefined if there is none. */
export function prefixOf({ parts, separator }: KeyTemplate): string | undefined {
  const format = parts[0]?.format;
  if (format === undefined) return undefined;
  if (format.literals !== undefined && format.literals.length > 1) return undefined;
  if (format.literal !== undefined) return parts.length === 1 ? format.literal : format.literal + separator;
  return format.prefix === "" ? undefined : format.prefix;
}

/** Rows of a table with their own prefix. */
type Prefixed = Pick<IndexModel, "name" | "prefix">;

/** @throws ModelError `model.prefix-overlap` */
function checkPrefixes(entity: string, indexes: readonly Prefixed[]): void {
  for (const [at, { name, prefix }] of indexes.entries())
    for (const other of indexes.slice(0, at))
      if (prefix.startsWith(other.prefix) || other.prefix.startsWith(prefix))
        throw indexError(
          "model.prefix-overlap",
          entity,
          name,
          `In ${entity}, the keys of ${other.name} start with ${JSON.stringify(other.prefix)} and those of ${name} with ${JSON.stringify(prefix)}, so their rows would be mixed. Give each its own prefix.`,
        );
}

const indexError = (code: string, entity: string, index: string | undefined, message: string): ModelError =>
  new ModelError(code, message, { entity, ...(index !== undefined && { index }) });
