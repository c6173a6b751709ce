import { storedValue } from "@partita/testing/arbitraries";
import { fc } from "@fast-check/vitest";
import {
  binary,
  bool,
  convert,
  dateTime,
  defineEntity,
  double,
  type EntityClass,
  enumOf,
  guid,
  int32,
  int64,
  json,
  text,
} from "../../../src/index.ts";
import { type AnyPropertyType, decimal, embedded, instant, plainDate } from "../../../src/models.ts";
import { padded } from "../../../src/keys.ts";
import { modelOf } from "../../../src/models.ts";
import { upgrades, add } from "../../../src/upgrades.ts";

class Geo {
  x?: number | undefined;
}
class Place {
  street?: string | undefined;
  city?: string | undefined;
  geo?: Geo | undefined;
}
class Look {
  street?: string | undefined;
}
const geo = embedded(Geo, { x: int32().optional() });

/** Every type of property, by how it is declared. */
const types: readonly (() => AnyPropertyType)[] = [
  text,
  bool,
  int32,
  int64,
  double,
  dateTime,
  guid,
  binary,
  () => json<unknown>(),
  () => enumOf(["open", "done"]),
  () => convert<URL>({ toText: (url) => url.href, fromText: (href) => new URL(href) }),
  () => int32().alsoReads("Edm.String", "Edm.Double"),
  () => double().alsoReads("Edm.Int32", "Edm.Int64"),
  () => text().named("Zürich"),
  () => decimal({ scale: 2 }),
  plainDate,
  instant,
  () => embedded(Place, { street: text(), city: text().optional(), geo: geo.optional() }),
  () => embedded(Look, { street: text().optional() }),
];

/** Values that are unusual as stored ones, and those of a property's own type. */
export const stored: fc.Arbitrary<{ readonly value: unknown; readonly annotation?: unknown }> = fc.oneof(
  { weight: 4, arbitrary: storedValue() },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom<readonly [unknown, unknown]>(
        ["open", undefined],
        ["https://partita.example/", undefined],
        ['{"a":[1]}', undefined],
        ["{", undefined],
        [0, undefined],
        [-0, undefined],
        [2 ** 31, undefined],
        [Number.POSITIVE_INFINITY, undefined],
        [1e-7, undefined],
        [1.5, undefined],
        [7, "Edm.Double"],
        ["7", undefined],
        ["2013-08-02T17:37:43.9004348Z", "Edm.DateTime"],
        ["2013-08-02T17:37:43Z", "Edm.DateTime"],
        ["2013-02-30T17:37:43Z", "Edm.DateTime"],
        ["4185404A-5818-48C3-B9BE-F217DF0DBA6F", "Edm.Guid"],
        ["9223372036854775808", "Edm.Int64"],
        ["-9223372036854775808", "Edm.Int64"],
        ["1250", "Edm.Int64"],
        ["1 2", "Edm.Int64"],
        ["AAECAwQFBgcICQ==", "Edm.Binary"],
        ["AAE", "Edm.Binary"],
        ["A=EC", "Edm.Binary"],
        ["text", "Edm.String"],
        ["2024-02-29", undefined],
        [true, "Edm.Boolean"],
        [5, "Edm.Int32"],
        [{ a: 1 }, undefined],
        [null, undefined],
        ["x", { a: 1 }],
      )
      .map(([value, annotation]) => ({ value, annotation })),
  },
);

const presence = fc.constantFrom("required", "optional", "default");

export interface RandomClass {
  readonly entityClass: EntityClass;
  readonly names: readonly string[];
}

/** Steps are typed by the versions before them, which a version made at random has none of. */
const chainOver = upgrades as unknown as (properties: Readonly<Record<string, AnyPropertyType>>) => {
  to(version: number, ...steps: readonly unknown[]): unknown;
};

/** The columns of properties, as upgrade steps name them. */
const columnsOf = (
  properties: Readonly<Record<string, AnyPropertyType>>,
): Readonly<Record<string, AnyPropertyType>> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, type]): [string, AnyPropertyType][] =>
      type.embedded === undefined
        ? [[name, type]]
        : type.embedded
            .leaves()
            .flatMap((leaf) => Object.entries(columnsOf({ [`${name}_${leaf.name}`]: leaf.type }))),
    ),
  );

function classOf(
  chosen: readonly (readonly [number, string])[],
  hasTwoParts: boolean,
  version: number | "chain" | undefined,
  proof: string,
): RandomClass {
  const typeAt = (index: number, present: string): AnyPropertyType => {
    const type = (types[index] as (typeof types)[number])() as ReturnType<typeof text>;
    if (present === "required") return type;
    return present === "default" && index === 0 ? type.default("none") : type.optional();
  };
  const properties = Object.fromEntries(
    chosen.map(([index, present], i) => [`p${i}`, typeAt(index, present)]),
  );
  const versions = {
    2: { version: 2 },
    chain: { version: chainOver(columnsOf(properties)).to(2, add("added", text(), "later")) },
  };
  const declaration = {
    table: "Randoms",
    partitionKey: hasTwoParts ? { a: padded(2), b: text() } : { b: text() },
    rowKey: { id: text() },
    properties: version === "chain" ? { ...properties, added: text() } : properties,
    proof,
    ...(version !== undefined && versions[version as 2 | "chain"]),
  };
  const entityClass = class extends defineEntity(
    // A declaration that is put together at run time has no type of its own.
    declaration as unknown as Parameters<typeof defineEntity>[0],
  ) {} as EntityClass;
  return { entityClass, names: Object.keys(declaration.properties) };
}

export const randomClass: fc.Arbitrary<RandomClass> = fc
  .tuple(
    fc.array(fc.tuple(fc.nat(types.length - 1), presence), { minLength: 1, maxLength: 8 }),
    fc.boolean(),
    fc.constantFrom<2 | "chain" | undefined>(undefined, 2, "chain"),
    fc.constantFrom("content", "id"),
  )
  .map((declared) => classOf(...declared))
  // Two properties of one stored name are refused when the class is built.
  .filter(({ entityClass }) => isBuildable(entityClass));

function isBuildable(entityClass: EntityClass): boolean {
  try {
    modelOf(entityClass);
    return true;
  } catch {
    return false;
  }
}

/** What a call returns, or the error it throws; in a form that shows the sign of zero and the order of members. */
export function outcomeOf(call: () => unknown): unknown {
  try {
    return reported(call());
  } catch (error) {
    const { code, message, details } = error as { code?: string; message: string; details?: unknown };
    return { code, message, details };
  }
}

const reported = (value: unknown): unknown => {
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null || value instanceof Date || ArrayBuffer.isView(value))
    return value;
  if (value instanceof URL) return value.href;
  return [value.constructor?.name, Object.entries(value).map(([name, member]) => [name, reported(member)])];
};
