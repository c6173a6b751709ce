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

/** A class decorator for both dialects, and for concrete and abstract classes. */
export type EntityDecorator = <Class extends EntityClass>(
  target: Class,
  context?: ClassDecoratorContext<Class>,
) => void;

/**
 * The options of a class decorator. Without parentheses, the decorator receives a class instead of a name.
 */
type OptionsWith<Name, Options> = [Name] extends [string] ? Options : unknown;

/** A class decorator, or an error message if it is written without parentheses. */
type NamedDecorator<Name, Own extends string> = [Name] extends [string]
  ? EntityDecorator
  : ModelError<`@${Own} needs parentheses and a name: write @${Own}("Name")`>;

/** Settings of a table and of the class that declares it. */
export interface TableDecoratorOptions extends TableOptions {
  /** Builds an empty instance. Needed if the constructor requires arguments. */
  readonly create?: () => object;
}

/**
 * Declares the table of an entity class, or of the abstract base class of several kinds.
 *
 * @example
 * ```ts
 * @Table("Notes")
 * class Note {
 *   @PartitionKey() user!: Key<string>;
 *   @RowKey() id!: Key<string>;
 *   @Text() title!: string;
 * }
 * const note = context.create(Note, { user: "ann", id: "1", title: "Groceries" });
 * console.log(context.entry(note).key?.rowKey); // → 1
 * ```
 */
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
          `${target.name} has two tables: ${declarations.table} and ${name}. Keep only one @Table.`,
          { entity: target.name },
        );
      const { create, ...tableOptions } = options;
      declarations.table = name;
      declarations.tableOptions = tableOptions;
      if (create !== undefined) declarations.create = create;
    });
}

/** The discriminator of a kind, and settings of its class. */
export interface KindOptions extends Omit<KindDefinition, "name"> {
  /** Builds an empty instance. Needed if the constructor requires arguments. */
  readonly create?: () => object;
}

/**
 * Names one of several classes that share a table. The name is stored with each row.
 *
 * @example
 * ```ts
 * @Table("Media")
 * abstract class Media {
 *   @PartitionKey() album!: Key<string>;
 *   @RowKey() file!: Key<string>;
 * }
 * @Kind("Photo")
 * class Photo extends Media {
 *   @Int32() width = 0;
 * }
 * ```
 */
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
 * Resolves to `unknown` if the property types of a class match the result of its upgrades, otherwise to a
 * type that shows the message. Only properties with the same name in both are compared, because TypeScript
 * cannot see stored names.
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
    : ModelError<`the upgrades end with another type of ${keyof Other & string} than the class declares`>
  : never;

type Same<One, Other> = [Exclude<One, undefined>] extends [Exclude<Other, undefined>]
  ? [Exclude<Other, undefined>] extends [Exclude<One, undefined>]
    ? true
    : false
  : false;

/** A class decorator for both dialects that compiles only if the upgrades end with the types of the class. */
export type VersionDecorator<Shape> = <Class extends EntityClass>(
  target: Class,
  context?: ClassDecoratorContext<Class>,
) => Returned<CheckVersion<InstanceType<Class>, Shape>>;

/**
 * The schema version that this class writes: an integer, 1 or more. Without upgrades, rows of every version
 * are read unchanged.
 *
 * @example
 * ```ts
 * @Table("Invoices")
 * @Version(2)
 * class Invoice {
 *   @PartitionKey() customer!: Key<string>;
 *   @RowKey() no!: Key<string>;
 * }
 * ```
 */
export function Version(version: number): EntityDecorator;
/**
 * The schema version that this class writes, with the `upgrades` that lead to it. Rows of older versions are
 * read as this version.
 *
 * @throws ModelError `model.version` if the upgrades end at another version
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
          `${target.name} has version ${version}, but its upgrades end at version ${chain.version}. Use the same number.`,
          { entity: target.name },
        );
      declarations.version = chain ?? version;
    })) as UncheckedClass;
}

type UncheckedClass = (target: EntityClass, context?: unknown) => never;
