import { isDate, isUint8Array, tagOf } from "../../values/errors/built-ins.ts";
import type { Ticks } from "../../values/edm/ticks.ts";
import { QueryError } from "../../values/errors/query-error.ts";
import type { ComparisonOperator } from "../../values/filter/filter-node.ts";
import type { IsChildren } from "../../model/declaration/children.ts";
import { type EntityModel, propertiesNamed } from "../../model/declaration/entity-model.ts";
import type {
  ComparedOf,
  DataOf,
  IsEmbedded,
  LessComparedOf,
  SystemNamesOf,
  ValueOf,
} from "../../model/declaration/entity-shape.ts";
import { refuseComparison } from "./condition-operator.ts";
import { commonNames, notQueried } from "./queried-names.ts";
import type { PredicateLeaf } from "./predicate-node.ts";
import { BuiltPredicate, isColumn, type Predicate, type PredicateScope } from "./predicate.ts";

/** Comparisons that every column has. A comparison with an absent value is false, including `ne`. */
export interface EqualityColumn<Value> {
  /**
   * Equal to the value.
   *
   * ```ts
   * const found = context.query(Blog).where((b) => b.channel.eq(channel));
   * ```
   */
  eq(value: Value): Predicate;
  /**
   * Has a value, and not this one.
   *
   * ```ts
   * const found = context.query(Blog).where((b) => [b.channel.eq(channel), b.text.ne("First")]);
   * console.log(await found.count()); // → 2
   * ```
   */
  ne(value: Value): Predicate;
  /**
   * Equal to one of the values; false for an empty list.
   *
   * ```ts
   * const found = context.query(Blog).where((b) => b.channel.in([channel, "Channel10"]));
   * ```
   */
  in(values: readonly Value[]): Predicate;
  /**
   * The property has a value.
   *
   * ```ts
   * const signed = context.query(Blog).where((b) => [b.channel.eq(channel), b.author.exists()]);
   * ```
   */
  exists(): Predicate;
}

/** Comparisons of columns with ordered values. A `Date` covers its complete millisecond. */
export interface OrderedColumn<Value> extends EqualityColumn<Value> {
  /**
   * Greater than, or later than.
   *
   * ```ts
   * const good = context.query(Blog).where((b) => [b.channel.eq(channel), b.rating.gt(1)]);
   * ```
   */
  gt(value: Value): Predicate;
  /**
   * Greater or equal.
   *
   * ```ts
   * const recent = context.query(Blog).where((b) => [b.channel.eq(channel), b.postedOn.ge(postedOn)]);
   * ```
   */
  ge(value: Value): Predicate;
  /**
   * Less than, or earlier than.
   *
   * ```ts
   * const poor = context.query(Blog).where((b) => [b.channel.eq(channel), b.rating.lt(2)]);
   * ```
   */
  lt(value: Value): Predicate;
  /**
   * Less or equal.
   *
   * ```ts
   * const old = context.query(Blog).where((b) => [b.channel.eq(channel), b.postedOn.le(postedOn)]);
   * ```
   */
  le(value: Value): Predicate;
  /**
   * From `low` to `high`, inclusive.
   *
   * ```ts
   * const middle = context.query(Blog).where((b) => [b.channel.eq(channel), b.rating.between(2, 3)]);
   * console.log(await middle.count()); // → 2
   * ```
   */
  between(low: Value, high: Value): Predicate;
}

/** Text compares by UTF-16 code units, case-sensitively. */
export interface TextColumn<Value> extends OrderedColumn<Value> {
  /**
   * Starts with `prefix`.
   *
   * ```ts
   * const found = context.query(Blog).where((b) => [b.channel.eq(channel), b.text.startsWith("Fi")]);
   * console.log(await found.count()); // → 1
   * ```
   */
  startsWith(prefix: string): Predicate;
}

/** Replaces the comparisons for properties that storage cannot compare, such as JSON. */
export interface NotComparable<
  Why extends string = "this property is stored as JSON; compare it after reading",
> {
  readonly "not comparable": Why;
}

type Bare<Value> = Exclude<Value, null | undefined>;

/** The comparisons for a property of this type. */
export type Column<Value> = [Bare<Value>] extends [string]
  ? TextColumn<Bare<Value>>
  : [Bare<Value>] extends [Ticks]
    ? OrderedColumn<Ticks | Date>
    : [Bare<Value>] extends [number | bigint | Date]
      ? OrderedColumn<Bare<Value>>
      : [Bare<Value>] extends [boolean]
        ? EqualityColumn<boolean>
        : [Bare<Value>] extends [Uint8Array]
          ? EqualityColumn<Uint8Array>
          : IsEmbedded<Bare<Value>> extends true
            ? MemberColumns<Bare<Value>>
            : NotComparable;

/** The columns of an embedded object of a decorated class. */
type MemberColumns<Value> = {
  readonly [Name in keyof DataOf<Value>]-?: Column<DataOf<Value>[Name]>;
} & {
  /** There is an object. */
  exists(): Predicate;
};

/**
 * The comparisons for properties with fewer of them than their values allow: JSON; values of a converter, which are not
 * ordered like their text; and decimals and dates, which are text or objects in a program but ordered in storage.
 */
type LessComparedColumn<Value, Compared> = Compared extends "none"
  ? NotComparable
  : Compared extends "ordered"
    ? OrderedColumn<Bare<Value>>
    : Compared extends "equality"
      ? EqualityColumn<Bare<Value>>
      : ObjectColumns<Compared>;

/** The columns of an embedded object, by leaf. */
type ObjectColumns<Leaves> = {
  readonly [Name in keyof Leaves]-?: Leaves[Name] extends { readonly leaves: infer Inner }
    ? ObjectColumns<Inner>
    : Leaves[Name] extends { readonly compared: "values" }
      ? Column<ValueOf<Leaves[Name]>>
      : Leaves[Name] extends { readonly compared: infer Compared }
        ? LessComparedColumn<ValueOf<Leaves[Name]>, Compared>
        : never;
} & {
  /** There is an object. */
  exists(): Predicate;
};

/**
 * The columns of an entity, by property. In a function over `Entity extends Base`, they are those of `Base`: TypeScript
 * replaces a conditional type on `Entity` by its result for the constraint, which it doesn't do for a mapped type
 * alone.
 */
export type Columns<Entity> = Entity extends object ? EntityColumns<Entity> : never;

/** The columns of an entity of a known type. */
type EntityColumns<Entity> = {
  readonly [
    K in keyof Entity as K extends string
      ? Entity[K] extends (...args: never[]) => unknown
        ? never
        : IsChildren<Entity[K]> extends true
          ? never
          : K
      : never
  ]-?: K extends SpecialNames<Entity>
    ? K extends SystemNamesOf<Entity>
      ? NotComparable<"ETag and Timestamp are no properties of where(); see filter(odata`Timestamp ge …`)">
      : LessComparedColumn<Entity[K], ComparedOf<Entity, K>>
    : Column<Entity[K]>;
};

/** The properties with columns that do not follow from the types of their values. */
type SpecialNames<Entity> = SystemNamesOf<Entity> | LessComparedOf<Entity>;

/** Equality of several properties: `{ channel: "Channel9" }`. */
export type EqualTo<Entity> = {
  readonly [
    K in keyof Columns<Entity> as Columns<Entity>[K] extends NotComparable<string> ? never : K
  ]?: Operand<Columns<Entity>[K]>;
};

/** A value that a column equals; for an embedded object, the values of some of its leaves. */
type Operand<Of> = Of extends { in(values: readonly (infer Value)[]): unknown }
  ? Value
  : {
      readonly [
        Leaf in Exclude<keyof Of, "exists"> as Of[Leaf] extends NotComparable<string> ? never : Leaf
      ]?: Operand<Of[Leaf]>;
    };

/**
 * Makes the columns for a `where` callback.
 *
 * @param entity - for messages
 * @param models - a property that not all of them declare is refused by name
 */
export function columnsOf(entity: string, models: readonly EntityModel[], scope: PredicateScope): unknown {
  const known = commonNames(models);
  return new Proxy(Object.create(null) as object, {
    get(_target, name) {
      if (typeof name !== "string" || !known.has(name)) throw notQueried(entity, String(name), models);
      return holdsLeaves(models, name)
        ? leafColumns(name, { entity, models, scope, known })
        : new ColumnBuilder(name, entity, scope);
    },
  });
}

/** Whether a name is the name of an embedded object. */
const holdsLeaves = (models: readonly EntityModel[], name: string): boolean =>
  models.some(
    ({ embedded, properties }) =>
      embedded !== undefined && properties.some((each) => each.name.startsWith(`${name}.`)),
  );

interface LeafQuery {
  readonly entity: string;
  readonly models: readonly EntityModel[];
  readonly scope: PredicateScope;
  readonly known: ReadonlySet<string>;
}

/** The columns of an embedded object, and whether there is one. */
function leafColumns(path: string, query: LeafQuery): unknown {
  const { entity, models, scope, known } = query;
  const exists = (): Predicate => {
    const leaves = new Set(models.flatMap((model) => propertiesNamed(model, path).map(({ name }) => name)));
    const nodes = [...leaves].map((property): PredicateLeaf => ({ type: "exists", property }));
    return new BuiltPredicate({ type: "or", nodes }, scope);
  };
  return new Proxy(Object.create(null) as object, {
    get(_target, member) {
      if (member === "exists") return exists;
      if (member === Symbol.toPrimitive)
        return (hint: string) => refuseComparison(hint, `where() on ${entity}.${path}`);
      const name = `${path}.${String(member)}`;
      if (holdsLeaves(models, name)) return leafColumns(name, query);
      if (known.has(name)) return new ColumnBuilder(name, entity, scope);
      throw notQueried(entity, name, models);
    },
  });
}

/** Makes the conditions for an object of equalities. @throws QueryError for unknown properties and undefined values */
export function equalities(entity: string, models: readonly EntityModel[], values: object): PredicateLeaf[] {
  const names = commonNames(models);
  const ofMembers = (object: object, path: string): PredicateLeaf[] =>
    Object.entries(object).flatMap(([member, value]): PredicateLeaf[] => {
      const property = path + member;
      const isObject = holdsLeaves(models, property);
      if (!isObject && !names.has(property)) throw notQueried(entity, property, models);
      if (isObject && value !== undefined && value !== null)
        return leavesIn(typeof value === "object" ? ofMembers(value, `${property}.`) : [], property);
      return [{ type: "compare", property, op: "eq", value: checkOperand(entity, property, value) }];
    });
  // An object without values would be a condition that is always true.
  const leavesIn = (leaves: PredicateLeaf[], property: string): PredicateLeaf[] => {
    if (leaves.length > 0) return leaves;
    throw wrongOperand(
      entity,
      property,
      `the values to compare: { ${property}: { … } }, or where((e) => e.${property}.exists())`,
    );
  };
  return ofMembers(values, "");
}

class ColumnBuilder {
  readonly #property: string;
  readonly #entity: string;
  readonly #scope: PredicateScope;

  constructor(property: string, entity: string, scope: PredicateScope) {
    this.#property = property;
    this.#entity = entity;
    this.#scope = scope;
  }

  eq(value: unknown): Predicate {
    return this.#compare("eq", value);
  }

  ne(value: unknown): Predicate {
    return this.#compare("ne", value);
  }

  gt(value: unknown): Predicate {
    return this.#compare("gt", value);
  }

  ge(value: unknown): Predicate {
    return this.#compare("ge", value);
  }

  lt(value: unknown): Predicate {
    return this.#compare("lt", value);
  }

  le(value: unknown): Predicate {
    return this.#compare("le", value);
  }

  between(low: unknown, high: unknown): Predicate {
    return this.ge(low).and(this.le(high));
  }

  in(values: readonly unknown[]): Predicate {
    if (!Array.isArray(values))
      throw new QueryError(
        "query.in-needs-list",
        `${this.#entity}.${this.#property}.in() takes an array of values.`,
        {
          entity: this.#entity,
          property: this.#property,
        },
      );
    // Array.from includes the holes that map would skip.
    const checked = Array.from(values, (value: unknown) => checkOperand(this.#entity, this.#property, value));
    return this.#leaf({ type: "in", property: this.#property, values: checked });
  }

  startsWith(prefix: unknown): Predicate {
    const value = checkOperand(this.#entity, this.#property, prefix);
    if (typeof value !== "string") throw wrongOperand(this.#entity, this.#property, "a string");
    return this.#leaf({ type: "startsWith", property: this.#property, value });
  }

  exists(): Predicate {
    return this.#leaf({ type: "exists", property: this.#property });
  }

  [Symbol.toPrimitive](hint: string): string {
    return refuseComparison(hint, `where() on ${this.#entity}.${this.#property}`);
  }

  #compare(op: ComparisonOperator, value: unknown): Predicate {
    return this.#leaf({
      type: "compare",
      property: this.#property,
      op,
      value: checkOperand(this.#entity, this.#property, value),
    });
  }

  #leaf(leaf: PredicateLeaf): Predicate {
    return new BuiltPredicate(leaf, this.#scope);
  }
}

/** Refuses values that match nothing; copies values that the caller could change later. */
function checkOperand(entity: string, property: string, value: unknown): unknown {
  if (value === undefined || value === null)
    throw new QueryError(
      "query.undefined-value",
      `${entity}.${property} is compared with ${value === null ? "null" : "undefined"}, which matches nothing. ` +
        `Check the variable, leave the condition out, or write ${property}.exists().not().`,
      { entity, property },
    );
  if (typeof value === "string" && !value.isWellFormed())
    throw new QueryError(
      "query.malformed-text",
      `${entity}.${property} is compared with text that has a lone surrogate, which no store holds. Use well-formed text.`,
      { entity, property },
    );
  if (isDate(value)) return new Date(value);
  if (isUint8Array(value)) return value.slice();
  // An object that only inherits from these classes cannot use their methods.
  if (isDate(value) || isUint8Array(value))
    throw wrongOperand(entity, property, "a value that was made by its own class");
  return value;
}

/** The error for an operand that does not have the property's type. @param given - the operand, if it may be a list or an object */
export function wrongOperand(
  entity: string,
  property: string,
  expected: string,
  given?: unknown,
): QueryError {
  const remedy = Array.isArray(given)
    ? ` For any of several values, write where((b) => b.${property}.in([…])).`
    : isColumn(given)
      ? " It cannot be another property: compare the two with filterInMemory()."
      : tagOf(given) === "Object"
        ? ` For other comparisons, write where((b) => b.${property}.gt(…)).`
        : "";
  return new QueryError(
    "query.wrong-type",
    `${entity}.${property} is compared with a value of another type or beyond its range; it takes ${expected}.${remedy}`,
    { entity, property, expected },
  );
}
