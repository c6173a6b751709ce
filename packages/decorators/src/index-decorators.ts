import {
  type AnyKeyFormat,
  constant,
  type EntityClass,
  indexDefinition,
  type IndexDeclaration,
  type IndexNamesOf,
  type IndexState,
  type KeyFormat,
  type KeyPartType,
  ModelError,
  settingNames,
  type UniqueOver,
  type ValueOf,
} from "@partita/core/models";
import { checkDecoratorOptions, checkName } from "./check-arguments.ts";
import { declareClass, declareField } from "./declare.ts";
import type { FieldDecorator, Returned } from "./field-decorator.ts";
import { textFormat } from "./key-decorators.ts";

/**
 * The rows of an index, as in `defineEntity`. Its parts and its copied properties are properties of the
 * class.
 */
export interface IndexOptions<
  Parts extends Readonly<Record<string, KeyPartType>>,
  Copied extends string,
> extends IndexDeclaration {
  readonly rowKey: Parts;
  readonly copy?: "all" | "none" | readonly Copied[];
}

/** Parts with a constant text, which need no property. */
type LiteralNames<Parts> = {
  [K in keyof Parts]: Parts[K] extends { readonly literal: string } ? K : never;
}[keyof Parts];

/** Parts with a format that does not accept the values of the property. */
type Unfit<Entity, Parts> = {
  [K in keyof Parts]: [ValueAt<Entity, K>] extends [ValueOf<Parts[K]>] ? never : K;
}[keyof Parts];

/** The type of a property, or of a property of an embedded object by its path. `never` if there is none. */
type ValueAt<Entity, Path> = Path extends keyof Entity
  ? Exclude<Entity[Path], undefined>
  : Path extends `${infer Holder}.${infer Leaf}`
    ? Holder extends keyof Entity
      ? ValueAt<Exclude<Entity[Holder], undefined>, Leaf>
      : never
    : never;

/** Parts without a property of that name in the class. */
type Unknown<Entity, Parts> = {
  [K in keyof Parts]: [ValueAt<Entity, K>] extends [never] ? K : never;
}[keyof Parts];

/** Whether some part has a constant text, which keeps the index rows apart from entities. */
type Prefixed<Parts> = true extends {
  [Name in keyof Parts]: Parts[Name] extends { readonly literal: string } | { readonly prefix: string }
    ? true
    : false;
}[keyof Parts]
  ? unknown
  : ModelError<'an index starts with a constant text: write constant("AGE:", format) for its first part'>;

/**
 * Resolves to `unknown` if an index fits its class, otherwise to a type that shows the message; see
 * `CheckField`.
 */
export type CheckIndex<Entity, Name, Parts, Copied> = [
  Exclude<Unknown<Entity, Parts>, LiteralNames<Parts>>,
] extends [never]
  ? [Exclude<Unfit<Entity, Parts>, LiteralNames<Parts>>] extends [never]
    ? [Exclude<Copied, keyof Entity>] extends [never]
      ? [Name] extends [IndexNamesOf<Entity>]
        ? Prefixed<Parts>
        : ModelError<"the class lists its indexes in [indexNames], without this one: add it there">
      : ModelError<"copy names a property that the class does not have">
    : ModelError<"a part's key format does not fit its property's type">
  : ModelError<"rowKey names a property that the class does not have">;

/** A class decorator for both dialects that compiles only if the index fits the class. */
export type IndexDecorator<Name extends string, Parts, Copied> = <Class extends EntityClass>(
  target: Class,
  context?: ClassDecoratorContext<Class>,
) => Returned<CheckIndex<InstanceType<Class>, Name, Parts, Copied>>;

/**
 * Declares a secondary index: each entity is stored a second time in its partition, with a RowKey of these
 * parts, in the same transaction. Queries use it with `via("byAge")`, and automatically if their conditions
 * fix all of its parts. An index of a base class covers its kinds.
 *
 * TypeScript cannot see decorators. To let `via` refuse unknown names, declare them:
 * `declare readonly [indexNames]?: "byAge"`.
 *
 * @example
 * ```ts
 * @Table("Runners")
 * @Index("byAge", { rowKey: { age: constant("AGE:", padded(3)), bib: padded(5) } })
 * class Runner {
 *   declare readonly [indexNames]?: "byAge";
 *   @PartitionKey() race!: Key<string>;
 *   @RowKey(constant("BIB:", padded(5))) bib!: Key<number>;
 *   @Int32() age!: number;
 * }
 * await createTables(storage, [Runner]);
 * context.create(Runner, { race: "Berlin", bib: 7, age: 41 });
 * await context.saveChanges();
 * const [runner] = await context.query(Runner).via("byAge").where({ race: "Berlin", age: 41 }).toArray();
 * console.log(runner?.bib); // → 7
 * ```
 */
export function Index<
  const Name extends string,
  const Parts extends Readonly<Record<string, KeyPartType>>,
  const Copied extends string = never,
>(name: Name, options: IndexOptions<Parts, Copied>): IndexDecorator<Name, Parts, Copied> {
  checkName("Index", name, "byAge");
  if (options === undefined)
    throw new ModelError(
      "model.decorator",
      `@Index needs the parts of its RowKey: write @Index("${name}", { rowKey: { age: constant("AGE:", padded(3)) } }).`,
      { decorator: "Index" },
    );
  checkDecoratorOptions("Index", options, settingNames.index);
  return ((target, context) => {
    // Class decorators run in reverse order.
    declareClass(target, context, ({ indexes }) =>
      indexes.unshift(indexDefinition(target.name, name, options)),
    );
  }) as UncheckedIndex as IndexDecorator<Name, Parts, Copied>;
}

type UncheckedIndex = (target: EntityClass, context?: unknown) => never;

type UniqueText = FieldDecorator<
  string,
  '@Unique(prefix) without a format needs a property of type string; for a number write @Unique("BIB:", padded(10))'
>;
type UniqueValue<Value> = FieldDecorator<Value, "this key format does not fit the property's type">;

/** How a unique property is stored. */
export interface UniqueOptions {
  /**
   * Among which entities the value is unique: those of one `"partition"` (default), or of the complete
   * `"table"`, which takes one more request for a new value.
   */
  readonly over?: UniqueOver;
  /**
   * `"retired"` ends the use of the index. Tables with `indexStates: "declared"` take any state from here;
   * otherwise storage records the state.
   */
  readonly state?: IndexState;
}

/**
 * No two entities of a partition, or with `over: "table"` of the table, may have the same value of this
 * property. Partita writes one small row for each value, in the transaction of its entity. If another entity already has the value, the save is refused
 * with the error `conflict.unique`. The property also works as an index of the same name.
 *
 * @example
 * ```ts
 * @Table("Members")
 * class Member {
 *   @PartitionKey() club!: Key<string>;
 *   @RowKey(constant("ID:", padded(5))) id!: Key<number>;
 *   @Unique("MAIL:") @Text() email!: string;
 * }
 * await createTables(storage, [Member]);
 * context.create(Member, { club: "rowing", id: 1, email: "ann@example.org" });
 * await context.saveChanges();
 * context.create(Member, { club: "rowing", id: 2, email: "ann@example.org" });
 * const error = await context.saveChanges().catch((error) => error);
 * console.log(error.conflicts[0].error.code); // → conflict.unique
 * ```
 *
 * @param prefix - the text before the value in the RowKey of these rows: `MAIL:ann@example.org`. No other
 * RowKey of the class may start with it, and you cannot change it once rows are stored
 */
export function Unique(prefix: string, options?: UniqueOptions): UniqueText;
/** The same for values that are not text: `@Unique("BIB:", padded(5)) bib!: number`. */
export function Unique<Value>(
  prefix: string,
  format: KeyFormat<Value>,
  options?: UniqueOptions,
): UniqueValue<Value>;
export function Unique(
  prefix: string,
  formatOrOptions?: AnyKeyFormat | UniqueOptions,
  more?: UniqueOptions,
): FieldDecorator<never, string> {
  checkName("Unique", prefix, "MAIL:");
  const format = isFormat(formatOrOptions) ? formatOrOptions : undefined;
  const options = (isFormat(formatOrOptions) ? more : formatOrOptions) ?? {};
  checkDecoratorOptions("Unique", options, ["over", "state"]);
  const prefixed = (own: AnyKeyFormat): AnyKeyFormat => constant<unknown>(prefix, own);
  const given = format && prefixed(format);
  return (target, context) =>
    declareField(target, context, (property, { indexes }, site) => {
      const own = given ?? prefixed(textFormat("Unique", JSON.stringify(prefix), property, site));
      indexes.push({ name: property, rowKey: [{ property, format: own }], unique: true, ...options });
    });
}

const isFormat = (given: AnyKeyFormat | UniqueOptions | undefined): given is AnyKeyFormat =>
  typeof (given as Partial<AnyKeyFormat> | undefined)?.encode === "function";
