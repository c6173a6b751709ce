import { type EntityClass, type KindDefinition, ModelError, type TableOptions } from "@partita/core/models";
import type { UpgradeChain } from "@partita/core/upgrades";
import { checkDecoratorOptions, checkName } from "./check-arguments.ts";
import { declareClass } from "./declare.ts";

/** A class decorator under both dialects, for concrete and abstract classes. */
export type EntityDecorator = <Class extends EntityClass>(
  target: Class,
  context?: ClassDecoratorContext<Class>,
) => void;

/** Settings of a table and of the class that names it. */
export interface TableDecoratorOptions extends TableOptions {
  /** Builds an empty instance, where the constructor needs arguments. */
  readonly create?: () => object;
}

/** Names the table of an entity, or of the abstract base of its kinds. */
export function Table(name: string, options: TableDecoratorOptions = {}): EntityDecorator {
  checkName("Table", name, "Blogs");
  checkDecoratorOptions("Table", options, tableOptionNames);
  return (target, context) =>
    declareClass(target, context, (declarations) => {
      const { create, ...tableOptions } = options;
      declarations.table = name;
      declarations.tableOptions = tableOptions;
      if (create !== undefined) declarations.create = create;
    });
}

const tableOptionNames = [
  "separator",
  "kindProperty",
  "versionProperty",
  "unknownKind",
  "proof",
  "outbox",
  "indexStates",
  "undeclared",
  "create",
];

/** How a kind appears beside its property, and how its rows are recognized where there is none. */
export type KindOptions = Omit<KindDefinition, "name">;

/** Names one of several classes that share a table; the name is stored with each row. */
export function Kind(name: string, options: KindOptions = {}): EntityDecorator {
  checkName("Kind", name, "Photo");
  checkDecoratorOptions("Kind", options, ["key", "formerly", "stored", "when"]);
  return (target, context) =>
    declareClass(target, context, (declarations) => {
      declarations.kind = { name, ...options };
    });
}

/**
 * The schema version this class writes: an integer, 1 or more; with the `upgrades` that lead to it, rows of older
 * versions are read as this one.
 *
 * @throws ModelError `model.version` when the upgrades lead to another version
 */
export const Version =
  (version: number, chain?: UpgradeChain): EntityDecorator =>
  (target, context) =>
    declareClass(target, context, (declarations) => {
      if (chain !== undefined && chain.version !== version)
        throw new ModelError(
          "model.version",
          `${target.name} is of version ${version}, but its upgrades lead to version ${chain.version}. Write the same number.`,
          { entity: target.name },
        );
      declarations.version = chain ?? version;
    });
