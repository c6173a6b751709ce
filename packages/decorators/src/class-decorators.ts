import {
  type EntityClass,
  type KindDefinition,
  ModelError,
  settingNames,
  type TableOptions,
} from "@partita/core/models";
import type { ShapeValues, Upgrades } from "@partita/core/upgrades";
import { checkDecoratorOptions, checkName } from "./check-arguments.ts";
import { declareClass } from "./declare.ts";
import type { Returned } from "./field-decorator.ts";

/** A class decorator under both dialects, for concrete and abstract classes. */
export type EntityDecorator = <Class extends EntityClass>(
  target: Class,
  context?: ClassDecoratorContext<Class>,
) => void;

/** The options of a class decorator; without its parentheses, it is given a class instead of a name. */
type OptionsWith<Name, Options> = [Name] extends [string] ? Options : unknown;

/** A class decorator, or a sentence if it is written without its parentheses. */
type NamedDecorator<Name, Own extends string> = [Name] extends [string]
  ? EntityDecorator
  : ModelError<`@${Own} needs its parentheses and a name: write @${Own}("Name")`>;

/** Settings of a table and of the class that names it. */
export interface TableDecoratorOptions extends TableOptions {
  /** Builds an empty instance, where the constructor needs arguments. */
  readonly create?: () => object;
}

/** Names the table of an entity, or of the abstract base of its kinds. */
export function Table<const Name extends string | EntityClass>(
  name: Name,
  options?: OptionsWith<Name, TableDecoratorOptions>,
): NamedDecorator<Name, "Table"> {
  return namedTable(name, options as TableDecoratorOptions) as NamedDecorator<Name, "Table">;
}

function namedTable(name: unknown, options: TableDecoratorOptions = {}): EntityDecorator {
  checkName("Table", name, "Blogs");
  checkDecoratorOptions("Table", options, settingNames.tableDecorator);
  return (target, context) =>
    declareClass(target, context, (declarations) => {
      if (declarations.table !== undefined)
        throw new ModelError(
          "model.decorator",
          `${target.name} has two tables: ${declarations.table} and ${name}. Keep one @Table.`,
          { entity: target.name },
        );
      const { create, ...tableOptions } = options;
      declarations.table = name;
      declarations.tableOptions = tableOptions;
      if (create !== undefined) declarations.create = create;
    });
}

/** How the rows of a kind show it, and settings of its class. */
export interface KindOptions extends Omit<KindDefinition, "name"> {
  /** Builds an empty instance, where the constructor needs arguments. */
  readonly create?: () => object;
}

/** Names one of several classes that share a table; the name is stored with each row. */
export function Kind<const Name extends string | EntityClass>(
  name: Name,
  options?: OptionsWith<Name, KindOptions>,
): NamedDecorator<Name, "Kind"> {
  return namedKind(name, options as KindOptions) as NamedDecorator<Name, "Kind">;
}

function namedKind(name: unknown, options: KindOptions = {}): EntityDecorator {
  checkName("Kind", name, "Photo");
  checkDecoratorOptions("Kind", options, settingNames.kindDecorator);
  return (target, context) =>
    declareClass(target, context, (declarations) => {
      const { create, ...kindOptions } = options;
      declarations.kind = { name, ...kindOptions };
      if (create !== undefined) declarations.create = create;
    });
}

/**
 * Resolves to `unknown` where a class has the types that its upgrades lead to, else to a type that shows the message. Only
 * properties of one name in both are compared: TypeScript cannot see under which name a property is stored.
 */
export type CheckVersion<Entity, Shape> = {
  [
    Name in keyof ShapeValues<Shape> & keyof Entity & string as Same<
      ShapeValues<Shape>[Name],
      Entity[Name]
    > extends true
      ? never
      : Name
  ]: Name;
} extends infer Other
  ? [keyof Other] extends [never]
    ? unknown
    : ModelError<`the upgrades lead to another type of ${keyof Other & string} than the class declares`>
  : never;

type Same<One, Other> = [Exclude<One, undefined>] extends [Exclude<Other, undefined>]
  ? [Exclude<Other, undefined>] extends [Exclude<One, undefined>]
    ? true
    : false
  : false;

/** A class decorator under both dialects, which compiles only where the upgrades lead to the class. */
export type VersionDecorator<Shape> = <Class extends EntityClass>(
  target: Class,
  context?: ClassDecoratorContext<Class>,
) => Returned<CheckVersion<InstanceType<Class>, Shape>>;

/** The schema version this class writes: an integer, 1 or more. Rows of every version are read as they are. */
export function Version(version: number): EntityDecorator;
/**
 * The schema version this class writes, with the `upgrades` that lead to it: rows of older versions are read as this
 * one.
 *
 * @throws ModelError `model.version` when the upgrades lead to another version
 */
export function Version<const Number extends number, Shape>(
  version: NoInfer<Number>,
  chain: Upgrades<Shape, Number>,
): VersionDecorator<Shape>;
export function Version(version: number, chain?: Upgrades<unknown, number>): UncheckedClass {
  return ((target, context) =>
    declareClass(target, context, (declarations) => {
      if (chain !== undefined && chain.version !== version)
        throw new ModelError(
          "model.version",
          `${target.name} is of version ${version}, but its upgrades lead to version ${chain.version}. Write the same number.`,
          { entity: target.name },
        );
      declarations.version = chain ?? version;
    })) as UncheckedClass;
}

type UncheckedClass = (target: EntityClass, context?: unknown) => never;
