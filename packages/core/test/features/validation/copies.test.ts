import { describe, expect, test } from "vitest";
import {
  binary,
  bool,
  convert,
  dateTime,
  defineEntity,
  double,
  enumOf,
  guid,
  int32,
  int64,
  json,
  TableContext,
  text,
  Ticks,
  toPlain,
} from "../../../src/index.ts";
import { accepting, contextWith, refusalOf, storageOf } from "./judged.ts";

/** A value that shows nothing of itself and can be changed in place: its converter alone knows it. */
class Amount {
  #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
  double(): void {
    this.#cents *= 2;
  }
}

class Place {
  city = "Oslo";
  get label(): string {
    return `in ${this.city}`;
  }
}

interface Nested {
  list: { n: number }[];
  ["__proto__"]?: unknown;
}

class All extends defineEntity({
  table: "All",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: {
    text: text().optional(),
    int32: int32().optional(),
    int64: int64().optional(),
    double: double().optional(),
    bool: bool().optional(),
    date: dateTime().optional(),
    ticks: dateTime({ ticks: true }).optional(),
    guid: guid().optional(),
    bytes: binary().optional(),
    bytesInPlace: binary({ inPlace: true }).optional(),
    buffer: binary().optional(),
    json: json<Nested>().optional(),
    place: json<Place>().optional(),
    kind: enumOf(["a", "b"]).optional(),
    amount: convert<Amount>({
      toText: (amount) => String(amount.cents),
      fromText: (stored) => new Amount(Number(stored)),
    }).optional(),
    url: convert<URL>({ toText: (url) => url.href, fromText: (stored) => new URL(stored) }).optional(),
  },
}) {}

/** A value of each type, another one, and how it can be changed in place. */
const types: {
  readonly [Name in Exclude<keyof All & string, "p" | "r">]-?: {
    readonly value: () => NonNullable<All[Name]>;
    readonly other: NonNullable<All[Name]>;
    readonly inPlace?: (value: NonNullable<All[Name]>) => unknown;
  };
} = {
  text: { value: () => "a", other: "b" },
  int32: { value: () => 1, other: 2 },
  int64: { value: () => 1n, other: 2n },
  double: { value: () => -0, other: 0 },
  bool: { value: () => true, other: false },
  date: { value: () => new Date(5), other: new Date(6), inPlace: (date) => date.setTime(7) },
  ticks: { value: () => new Ticks(630_000_000_000_000_001n), other: new Ticks(630_000_000_000_000_002n) },
  guid: {
    value: () => "00000000-0000-4000-8000-000000000001",
    other: "00000000-0000-4000-8000-000000000002",
  },
  bytes: {
    value: () => new Uint8Array([1, 2]),
    other: new Uint8Array([3]),
    inPlace: (bytes) => bytes.fill(9),
  },
  bytesInPlace: {
    value: () => new Uint8Array(5000),
    other: new Uint8Array([3]),
    inPlace: (bytes) => bytes.fill(9),
  },
  buffer: { value: () => Buffer.from("ab"), other: Buffer.from("c"), inPlace: (bytes) => bytes.fill(9) },
  json: {
    value: () => JSON.parse('{"list":[{"n":1},{"n":2}],"__proto__":{"n":3}}') as Nested,
    other: { list: [] },
    inPlace: ({ list }) => list[1] !== undefined && list[1].n++,
  },
  place: {
    value: () => new Place(),
    other: Object.assign(new Place(), { city: "Rome" }),
    inPlace: (place) => (place.city = "Paris"),
  },
  kind: { value: () => "a", other: "b" },
  amount: { value: () => new Amount(5), other: new Amount(6), inPlace: (amount) => amount.double() },
  url: {
    value: () => new URL("http://a/"),
    other: new URL("http://b/"),
    inPlace: (url) => (url.pathname = "x"),
  },
};
const names = Object.keys(types) as (keyof typeof types)[];
type Values = Record<string, unknown>;
const valuesOfAll = (): Values => Object.fromEntries(names.map((name) => [name, types[name].value()]));
const key = { p: "p", r: "1" };

/** What a validator does to its copy. */
const changes: Readonly<Record<string, (copy: Values, name: keyof typeof types) => unknown>> = {
  assign: (copy, name) => (copy[name] = types[name].other),
  remove: (copy, name) => delete copy[name],
  clear: (copy, name) => (copy[name] = undefined),
  "set to null": (copy, name) => (copy[name] = null),
  "change in place": (copy, name) => types[name].inPlace?.(copy[name] as never),
};
const cells = names.flatMap((name) =>
  Object.keys(changes)
    .filter((change) => change !== "change in place" || types[name].inPlace !== undefined)
    .flatMap((change) => (["new", "read"] as const).map((how) => ({ name, change, how }))),
);

async function storedRow(storage: Awaited<ReturnType<typeof storageOf>>): Promise<Values> {
  const { entities } = await storage.query("All", {});
  const { Timestamp: _timestamp, "odata.etag": _etag, ...row } = { ...entities[0] };
  return row;
}

async function prepared(how: "new" | "read", judge: (copy: never) => unknown, applyTransforms = false) {
  const storage = await storageOf(All);
  const context = contextWith(storage, Object.assign(accepting(judge), { applyTransforms }));
  if (how === "new") return { storage, context, entity: context.create(All, { ...key, ...valuesOfAll() }) };
  const first = new TableContext(storage);
  first.create(All, { ...key, ...valuesOfAll() });
  await first.saveChanges();
  const entity = (await context.find(All, key)) as All;
  context.update(entity, "text");
  return { storage, context, entity };
}

describe.each(cells)(
  "a validator that does this to $name of a copy ($how): $change",
  ({ name, change, how }) => {
    const edit = (copy: Values): unknown => changes[change]?.(copy, name);

    test("is an error, and changes neither the entity nor its row", async () => {
      const { storage, context, entity } = await prepared(how, edit);
      const before = await storedRow(storage);

      const error = await refusalOf(context);

      expect(error).toMatchObject({
        code: "validator.changed-entity",
        message: expect.stringContaining(`was changed by a validator: ${name}.`) as unknown,
        details: { entity: "All", property: name, properties: [name] },
      });
      expect(await storedRow(storage)).toEqual(before);
      expect(toPlain(entity)).toEqual(toPlain(new All({ ...key, ...valuesOfAll() })));
    });

    test("edits the entity with applyTransforms", async () => {
      let n = 0;
      const { storage, context, entity } = await prepared(how, (copy) => n++ === 0 && edit(copy), true);

      await context.saveChanges();

      const expected: Values = valuesOfAll();
      changes[change]?.(expected, name);
      const plain = await storageOf(All);
      const other = new TableContext(plain);
      other.create(All, { ...key, ...expected });
      await other.saveChanges();
      expect(await storedRow(storage)).toEqual(await storedRow(plain));
      expect(context.entry(entity).state).toBe("unchanged");
    });
  },
);

test("a copy has equal values of the same classes, and none of the entity's own objects", async () => {
  let copy: All | undefined;
  const { entity, context } = await prepared("new", (judged: All) => (copy = judged));

  await context.saveChanges();

  expect(copy).toBeInstanceOf(All);
  expect(copy).not.toBe(entity);
  expect(Object.entries(copy ?? {})).toEqual(Object.entries(entity));
  for (const name of names) {
    const [mine, theirs] = [entity[name], copy?.[name]];
    if (typeof mine !== "object" || mine instanceof Ticks) continue;
    expect(theirs, name).not.toBe(mine);
    expect(Object.getPrototypeOf(theirs), name).toBe(Object.getPrototypeOf(mine));
  }
  expect(copy?.place?.label).toBe("in Oslo");
  expect(copy?.amount?.cents).toBe(5);
  expect(Object.keys(copy?.json ?? {})).toEqual(["list", "__proto__"]);
  expect(Object.getPrototypeOf(copy?.json)).toBe(Object.prototype);
});

test("JSON that is nested 3,000 deep is copied", async () => {
  const deep = (): object => {
    let value = {};
    for (let i = 0; i < 3000; i++) value = { value };
    return value;
  };
  const storage = await storageOf(All);
  const context = contextWith(
    storage,
    accepting(() => undefined),
  );
  context.create(All, { ...key, json: deep() as Nested });

  expect(await refusalOf(context)).toBeUndefined();
});
