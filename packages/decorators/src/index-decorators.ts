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
  type ValueOf,
} from "@partita/core/models";
import { checkDecoratorOptions, checkName } from "./check-arguments.ts";
import { declareClass, declareField } from "./declare.ts";
import type { FieldDecorator, Returned } from "./field-decorator.ts";
import { textFormat } from "./key-decorators.ts";

/** What the rows of an index are, as in `defineEntity`; its parts and copies are properties of the class. */
export interface IndexOptions<
  Parts extends Readonly<Record<string, KeyPartType>>,
  Copied extends string,
> extends IndexDeclaration {
  readonly rowKey: Parts;
  readonly copy?: "all" | "none" | readonly Copied[];
}

/** Parts that are always the same text stand for no property. */
type LiteralNames<Parts> = {
  [K in keyof Parts]: Parts[K] extends { readonly literal: string } ? K : never;
}[keyof Parts];

/** Parts whose format does not take the values of their property. */
type Unfit<Entity, Parts> = {
  [K in keyof Parts]: [ValueAt<Entity, K>] extends [ValueOf<Parts[K]>] ? never : K;
}[keyof Parts];

/** The type of a property, or of a leaf of an embedded object by its path; never where there is none. */
type ValueAt<Entity, Path> = Path extends keyof Entity
  ? Exclude<Entity[Path], undefined>
  : Path extends `${infer Holder}.${infer Leaf}`
    ? Holder extends keyof Entity
      ? ValueAt<Exclude<Entity[Holder], undefined>, Leaf>
      : never
    : never;

/** Parts that name nothing that the class has. */
type Unknown<Entity, Parts> = {
  [K in keyof Parts]: [ValueAt<Entity, K>] extends [never] ? K : never;
}[keyof Parts];

/** Some part has a text of its own, which keeps the index's rows apart from entities. */
type Prefixed<Parts> = true extends {
  [Name in keyof Parts]: Parts[Name] extends { readonly literal: string } | { readonly prefix: string }
    ? true
    : false;
}[keyof Parts]
  ? unknown
  : ModelError<'an index begins with a text of its own: write constant("AGE:", format) for its first part'>;

/**
 * Resolves to `unknown` where an index fits its class, else to a type that shows the message; see `CheckField`.
 */
export type CheckIndex<Entity, Name, Parts, Copied> = [
  Exclude<Unknown<Entity, Parts>, LiteralNames<Parts>>,
] extends [never]
  ? [Exclude<Unfit<Entity, Parts>, LiteralNames<Parts>>] extends [never]
    ? [Exclude<Copied, keyof Entity>] extends [never]
      ? [Name] extends [IndexNamesOf<Entity>]
        ? Prefixed<Parts>
        : ModelError<"the class names its indexes in [indexNames], and not this one: add it there">
      : ModelError<"copy names a property that the class does not have">
    : ModelError<"a part's key format does not fit its property's type">
  : ModelError<"rowKey names a property that the class does not have">;

/** A class decorator under both dialects, which compiles only where the index fits the class. */
export type IndexDecorator<Name extends string, Parts, Copied> = <Class extends EntityClass>(
  target: Class,
  context?: ClassDecoratorContext<Class>,
) => Returned<CheckIndex<InstanceType<Class>, Name, Parts, Copied>>;

/**
 * A secondary index: entities once more in their partition, under a RowKey of these parts, stored in the transaction of
 * the entity: `@Index("byAge", { rowKey: { age: constant("AGE:", padded(3)) } })`. Queries use it by `via("byAge")`, and by
 * themselves where conditions fix all of its parts. An index of a base class covers its kinds.
 *
 * TypeScript cannot see decorators: `declare readonly [indexNames]?: "byAge"` lets `via` refuse other names.
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
      `@Index takes the parts of its RowKey: write @Index("${name}", { rowKey: { age: constant("AGE:", padded(3)) } }).`,
      { decorator: "Index" },
    );
  checkDecoratorOptions("Index", options, settingNames.index);
  return ((target, context) => {
    // Class decorators run from the last to the first.
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

/** How a unique property is stored beside its prefix. */
export interface UniqueOptions {
  /** `"retired"` ends the use of the index; any state in tables with `indexStates: "declared"`. Storage records it otherwise. */
  readonly state?: IndexState;
}

/**
 * No two entities of a partition have the same value here: `@Unique("MAIL:") @Text({ optional: true }) email?: string`. It is
 * an index of the property's name. Each value is one small row of the partition, written in the transaction of its entity;
 * a save whose value another entity has is refused with a ConflictError of the reason `unique`.
 *
 * @param prefix - the text that these rows' RowKeys begin with, before the value: `MAIL:ann@example.org`. It keeps them apart
 *   from entities and from rows of other indexes, so no other RowKey of the class may begin with it; it cannot be changed
 *   once rows are stored
 */
export function Unique(prefix: string): UniqueText;
/** The same for values that are no text: `@Unique("BIB:", padded(5)) bib!: number`. */
export function Unique<Value>(
  prefix: string,
  format: KeyFormat<Value>,
  options?: UniqueOptions,
): UniqueValue<Value>;
export function Unique(
  prefix: string,
  format?: AnyKeyFormat,
  options: UniqueOptions = {},
): FieldDecorator<never, string> {
  checkName("Unique", prefix, "MAIL:");
  checkDecoratorOptions("Unique", options, ["state"]);
  const prefixed = (own: AnyKeyFormat): AnyKeyFormat => constant<unknown>(prefix, own);
  const given = format && prefixed(format);
  return (target, context) =>
    declareField(target, context, (property, { indexes }, site) => {
      const own = given ?? prefixed(textFormat("Unique", JSON.stringify(prefix), property, site));
      indexes.push({ name: property, rowKey: [{ property, format: own }], unique: true, ...options });
    });
}
