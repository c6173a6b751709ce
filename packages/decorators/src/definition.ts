import type {
  ChildrenDefinition,
  EntityClass,
  EntityDefinition,
  IndexDefinition,
  KeyPartDefinition,
  PropertyDefinition,
  TableOptions,
} from "@partita/core/models";
import type { Declarations } from "./declarations.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Combines the declarations of a class and its ancestors, starting at the root. Lists are joined; for single
 * settings, the nearest class takes precedence.
 */
export function definitionOf(
  entityClass: EntityClass,
  declarationsOf: (entityClass: object) => Declarations | undefined,
): EntityDefinition {
  const partitionKey: KeyPartDefinition[] = [];
  const rowKey: KeyPartDefinition[] = [];
  const properties: PropertyDefinition[] = [];
  const children: ChildrenDefinition[] = [];
  const indexes: IndexDefinition[] = [];
  const notStored: string[] = [];
  let options: TableOptions = {};
  const definition: Partial<Writable<EntityDefinition>> = {};
  for (const declared of ancestry(entityClass).map(declarationsOf)) {
    if (declared === undefined) continue;
    partitionKey.push(...declared.partitionKey);
    rowKey.push(...declared.rowKey);
    children.push(...declared.children);
    indexes.push(...declared.indexes);
    notStored.push(...declared.notStored);
    properties.push(...[...declared.properties].map(([name, type]) => ({ name, type })));
    options = { ...options, ...declared.tableOptions };
    const { table, kind, version, create, etagProperty, timestampProperty } = declared;
    Object.assign(definition, defined({ table, kind, version, create, etagProperty, timestampProperty }));
  }
  return {
    ...definition,
    table: definition.table,
    options,
    partitionKey,
    rowKey,
    children,
    indexes,
    notStored,
    properties,
  };
}

/** The class and its ancestors, root first. */
function ancestry(entityClass: EntityClass): object[] {
  const classes: object[] = [];
  for (
    let c: unknown = entityClass;
    typeof c === "function" && c !== Function.prototype;
    c = Object.getPrototypeOf(c)
  )
    classes.unshift(c);
  return classes;
}

const defined = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
