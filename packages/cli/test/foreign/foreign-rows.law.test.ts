import * as main from "@partita/core";
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
  openStorage,
  text,
} from "@partita/core";
import type { AnyPropertyType } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";
import * as models from "@partita/core/models";
import * as protocol from "@partita/core/protocol";
import * as internal from "@partita/core/internal";
import * as maintenance from "@partita/maintenance";
import {
  type DeclaredType,
  declaredTypes,
  foreignKeys,
  foreignValues,
  type ForeignValue,
  readingOf,
} from "@partita/test-support/foreign-rows";
import { expect, test } from "vitest";
import { RowCheck } from "../../src/diff/row-check.ts";
import { checkClasses } from "../../src/generate/check-classes.ts";
import { guessClasses } from "../../src/generate/class-guess.ts";

// What other clients may store: `partita generate` writes classes that read it, and `partita diff` names what does not fit.

const rowOf = (value: ForeignValue | undefined, i: number): StoredEntity => ({
  PartitionKey: foreignKeys[i % foreignKeys.length] as string,
  RowKey: `${foreignKeys[(i * 7) % foreignKeys.length]?.slice(0, 500)}${i}`,
  ...(value?.annotation !== undefined && { "Value@odata.type": value.annotation }),
  ...(value !== undefined && { Value: value.value }),
});

/** A table of each value alone, with a row that lacks it; of all values of each type; and of all values there are. */
const tables: readonly (readonly [string, readonly (ForeignValue | undefined)[]])[] = [
  ...foreignValues.map((value) => [value.name, [value, undefined, value]] as const),
  ...[...new Set(foreignValues.map(({ edm }) => edm))].map(
    (type) => [`every ${type}`, foreignValues.filter(({ edm }) => edm === type)] as const,
  ),
  ["every value", foreignValues],
];

test.each(tables)("the class that is generated for a table of %s reads every row", async (_name, values) => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Foreign");
  for (const [i, value] of values.entries())
    await storage.write("Foreign", { type: "insert", entity: rowOf(value, i) });
  const { entities } = await storage.query("Foreign", {});

  const classes = guessClasses("Foreign", entities);
  const check = await checkClasses(storage, classes, new AbortController().signal);

  expect(check).toEqual({ read: values.length, problem: undefined });
});

const types: Readonly<Record<DeclaredType, () => AnyPropertyType>> = {
  text,
  bool,
  int32,
  int64,
  double,
  dateTime,
  ticks: () => dateTime({ ticks: true }),
  guid,
  binary,
  json: () => json<unknown>(),
  enum: () => enumOf(["open", "done"]),
  convert: () => convert<URL>({ toText: ({ href }) => href, fromText: (href) => new URL(href) }),
};

const core = { ...protocol, ...main, ...models, ...internal, ...maintenance };

test.each(Object.keys(declaredTypes) as DeclaredType[])(
  `diff names the property of each of ${foreignValues.length} values that %s cannot read`,
  async (declared) => {
    class Foreign extends defineEntity({
      table: "Foreign",
      partitionKey: { p: text() },
      rowKey: { id: text() },
      properties: { value: types[declared]().optional().named("Value") as never },
    }) {}
    await using storage = await openStorage("memory:");
    const check = new RowCheck(core, [Foreign as unknown as EntityClass], storage);

    for (const [i, value] of foreignValues.entries()) {
      const found = await check.differencesOf(rowOf(value, i));
      const expected = readingOf(declared, value);
      const codes = "refused" in expected ? [expected.refused] : [];

      expect([value.name, found.map(({ code }) => code)]).toEqual([value.name, codes]);
      expect(found.every(({ message }) => message.includes("Foreign.value"))).toBe(true);
    }
  },
);
