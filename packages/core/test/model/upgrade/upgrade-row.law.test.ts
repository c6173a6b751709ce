import { storedName, storedValue } from "@partita/testing/arbitraries";
import { fc } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { bool, dateTime, double, guid, int32, int64, text } from "../../../src/index.ts";
import type { AnyPropertyType } from "../../../src/models.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { add, join, remove, rename, retype, split, upgrades } from "../../../src/upgrades.ts";
import type { NamedStep, Shape } from "../../../src/model/upgrade/step.ts";
import type { UpgradeChain } from "../../../src/model/upgrade/upgrade-chain.ts";
import { rowUpgrade } from "../../../src/model/upgrade/upgrade-row.ts";

// Rows are upgraded over several versions at once as version by version they are.

const chains = Number(process.env["PARTITA_UPGRADE_CHAINS"] ?? 400);
const rowsOfChain = 60;

const types: readonly (() => AnyPropertyType)[] = [
  text,
  int32,
  bool,
  double,
  int64,
  dateTime,
  guid,
  () => text().optional(),
  () => int64().optional(),
  () => text().default("none"),
  () => double().alsoReads("Edm.Int32"),
];

/** Steps are typed by the versions before them, which a version made at random has none of. */
type RandomChain = UpgradeChain & { to(version: number, ...args: readonly unknown[]): RandomChain };

const free = (before: Shape, after: Shape) => (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.keys(after).map((name) => [name, Object.hasOwn(before, name) ? values[name] : undefined]),
  );

/** A chain of three versions, of which each step takes and gives names by these numbers. */
function chainOf(first: readonly number[], choices: readonly (readonly number[])[]): RandomChain {
  const typeAt = (i: number): AnyPropertyType => (types[i % types.length] as () => AnyPropertyType)();
  const properties = Object.fromEntries(first.map((type, i) => [`p${i}`, typeAt(type)]));
  let made = 0;
  let chain = upgrades(properties as unknown as Shape) as unknown as RandomChain;
  for (const [i, choice] of choices.entries()) {
    const shape = chain.shapes.at(-1) as Shape;
    const left = Object.keys(shape);
    const steps = choice.flatMap((number): readonly NamedStep[] => {
      const from = left.splice(number % Math.max(1, left.length), 1)[0];
      const to = `q${made++}`;
      if (from === undefined || number % 7 === 0)
        return [...(from === undefined ? [] : [remove(from)]), add(to, text(), `added ${number}`)];
      const type = shape[from] as never;
      const same = (value: unknown): never => value as never;
      const failing = (value: unknown): never => {
        if (value === "fails") throw new Error("refused");
        return String(value) as never;
      };
      switch (number % 6) {
        case 0:
          return [rename(from, to)];
        case 1:
          return [retype(from, to, type, same)];
        case 2:
          return [retype(from, to, text(), failing)];
        case 3:
          return [
            split(
              from,
              { [to]: type, [`${to}b`]: int32().optional() as never },
              (value: unknown) => ({ [to]: value }) as never,
            ),
          ];
        case 4: {
          const second = left.pop();
          return second === undefined
            ? [rename(from, to)]
            : [
                join(
                  [from, second],
                  to,
                  text().optional() as never,
                  (values: unknown) => JSON.stringify(Object.keys(values as object)) as never,
                ),
              ];
        }
        default:
          return [];
      }
    });
    const isFree = choice.length === 1;
    const after: Shape = isFree ? { ...shape, [`q${made++}`]: text().optional() as never } : {};
    chain = isFree ? chain.to(i + 2, after, free(shape, after)) : chain.to(i + 2, ...steps);
  }
  return chain;
}

const randomChain = fc
  .tuple(
    fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
    fc.array(fc.array(fc.nat(40), { maxLength: 4 }), { minLength: 1, maxLength: 2 }),
  )
  .map((args) => chainOf(...args));

const valueOfType: Readonly<Record<string, readonly [unknown, string?][]>> = {
  "Edm.String": [["a"], ["fails"], [""]],
  "Edm.Int32": [[5], [-1]],
  "Edm.Boolean": [[true]],
  "Edm.Double": [[1.5], [7, "Edm.Double"], [7], ["NaN", "Edm.Double"]],
  "Edm.Int64": [
    ["5", "Edm.Int64"],
    ["05", "Edm.Int64"],
  ],
  "Edm.DateTime": [["2013-08-02T17:37:43.9004348Z", "Edm.DateTime"]],
  "Edm.Guid": [["4185404A-5818-48C3-B9BE-F217DF0DBA6F", "Edm.Guid"]],
};

/** A row of a version, mostly as its class wrote it. */
function rowOf(chain: UpgradeChain, from: number): fc.Arbitrary<StoredEntity> {
  const shape = chain.shapes[from - 1] as Shape;
  const property = ([name, { serializer }]: [string, Shape[string]]) =>
    fc
      .oneof(
        { weight: 20, arbitrary: fc.constantFrom(...(valueOfType[serializer.edm] as [unknown, string?][])) },
        { weight: 1, arbitrary: fc.constant([undefined, undefined] as const) },
        { weight: 1, arbitrary: storedValue().map(({ value, annotation }) => [value, annotation] as const) },
        { weight: 1, arbitrary: fc.constant([undefined, "Edm.Int64"] as const) },
      )
      .map(([value, annotation]) => [
        ...(annotation === undefined ? [] : [[`${name}@odata.type`, annotation]]),
        ...(value === undefined ? [] : [[name, value]]),
      ]);
  const more = fc.oneof(
    { weight: 12, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("q0", "q1", "p0", "q2").map((name) => [[name, "taken"]]),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(storedName(), storedValue()).map(([name, { value }]) => [[name, value]]),
    },
  );
  return fc
    .tuple(
      fc.tuple(...Object.entries(shape).map(property)),
      more,
      fc.constantFrom({}, { SchemaVersion: from }, { Kind: "k", _row: "id" }),
      fc.constantFrom(
        { Timestamp: "2026-11-22T00:00:00Z", "odata.etag": "e" },
        { Timestamp: "2026-11-22T00:00:00Z", "odata.etag": "e" },
        {},
      ),
    )
    .map(
      ([values, others, layout, system]) =>
        Object.assign(
          { PartitionKey: "p", RowKey: "r", ...system, ...layout },
          Object.fromEntries([...values.flat(), ...others] as [string, unknown][]),
        ) as StoredEntity,
    );
}

function outcomeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    const { code, message, details } = error as { code?: string; message: string; details?: unknown };
    return { code, message, details };
  }
}

/** The chain as it was at a version. */
const upTo = (chain: UpgradeChain, version: number): UpgradeChain => ({
  ...chain,
  version,
  shapes: chain.shapes.slice(0, version),
  changes: chain.changes.slice(0, version - 1),
});

/** Upgrades by one change after the other, each of a chain of its own. */
function oneByOne(chain: UpgradeChain, from: number): (row: StoredEntity) => StoredEntity {
  const changes = Array.from({ length: chain.version - from }, (_, i) =>
    rowUpgrade(upTo(chain, from + i + 1), from + i),
  );
  return (row) => changes.reduce((upgraded, change) => change(upgraded, "Thing"), row);
}

test(`${chains} random chains, ${rowsOfChain} rows each: upgraded at once as version by version`, () => {
  let [changed, failed, all] = [0, 0, 0];
  for (const chain of fc.sample(randomChain, chains))
    for (let from = 1; from < chain.version; from++) {
      const [upgrade, step] = [rowUpgrade(chain, from), oneByOne(chain, from)];
      for (const row of fc.sample(rowOf(chain, from), rowsOfChain / (chain.version - 1))) {
        const before = structuredClone(row);
        const found = outcomeOf(() => upgrade(row, "Thing"));
        const expected = outcomeOf(() => step(row));
        all++;
        expect(found).toStrictEqual(expected);
        if (Object.hasOwn(found as object, "code")) failed++;
        else if (JSON.stringify(found) !== JSON.stringify(row)) changed++;
        expect(row).toStrictEqual(before);
        const layout = ({ Timestamp, "odata.etag": etag, Kind, _row }: StoredEntity): unknown => [
          Timestamp,
          etag,
          Kind,
          _row,
        ];
        const isUpgraded = !Object.hasOwn(found as object, "code");
        expect(isUpgraded ? layout(found as StoredEntity) : layout(row)).toEqual(layout(row));
      }
    }

  expect(changed).toBeGreaterThan(all / 3);
  expect(failed).toBeGreaterThan(0);
});

test("a property of the name __proto__ stays", () => {
  const chain = upgrades({ a: text() }).to(2, rename("a", "b"));
  const row = JSON.parse('{"PartitionKey":"p","RowKey":"r","__proto__":"odd","a":"x"}') as StoredEntity;

  const upgraded = rowUpgrade(chain, 1)(row, "Thing");

  expect(JSON.stringify(upgraded)).toBe('{"PartitionKey":"p","RowKey":"r","__proto__":"odd","b":"x"}');
});

test("a constant that is no value of its type is reported by each row", () => {
  const chain = upgrades({ a: text() }).to(2, add("b", int32(), 2 ** 40));
  const upgrade = rowUpgrade(chain, 1);

  expect(() => upgrade({ PartitionKey: "p", RowKey: "r", a: "x" }, "Thing")).toThrow(
    expect.objectContaining({ code: "upgrade.step-failed" }),
  );
  // A row that has the property already keeps it.
  expect(upgrade({ PartitionKey: "p", RowKey: "r", a: "x", b: 1 }, "Thing")).toMatchObject({ b: 1 });
});
