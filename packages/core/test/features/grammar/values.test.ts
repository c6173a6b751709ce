import { importTable } from "@partita/core/transfer";
import { untypedNumbers, type ValueForm, valueForms } from "@partita/test-support/value-forms";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  binary,
  bool,
  dateTime,
  defineEntity,
  double,
  fromPlain,
  guid,
  int32,
  int64,
  openStorage,
  type StoredEntity,
  type TableStorage,
  text,
  toPlain,
} from "../../../src/index.ts";
import { parseAnswer } from "../../../src/adapters/rest/wire/entity-json.ts";
import { typedValue } from "../../../src/edm/typed-value.ts";
import { lookupIn } from "../../../src/filter/evaluate-filter.ts";
import { parseFilter } from "../../../src/filter/parse-filter.ts";
import type { FilterNode, Literal } from "../../../src/filter/filter-node.ts";
import { rowsOf, sourceOf } from "../transfer/files.ts";

// One table of forms at every place where values come in: what one accepts, all accept, and store as the same value.

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
  await storage.createTable("Forms");
});
afterEach(() => storage.close());

const keys = { PartitionKey: "p", RowKey: "r" };
const storedRow = ({ edm, stored, isTyped }: ValueForm): unknown => ({
  ...keys,
  V: stored,
  ...(isTyped && { "V@odata.type": edm }),
});
const entityOf = ({ edm, text: value }: ValueForm): StoredEntity => ({
  ...keys,
  V: value,
  "V@odata.type": edm,
});
const imported = (file: string): Promise<unknown> => importTable(storage, "Forms", sourceOf(file));
const csvCell = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** Writes a value as text through each door; a refusal rejects. */
const doors: readonly (readonly [name: string, write: (form: ValueForm) => Promise<unknown>])[] = [
  ["a write to a store", (form) => storage.write("Forms", { type: "insert", entity: entityOf(form) })],
  ["a transaction", (form) => storage.transact("Forms", [{ type: "upsert-merge", entity: entityOf(form) }])],
  ["a line of JSON", (form) => imported(`${JSON.stringify(entityOf(form))}\n`)],
  ["a list in JSON", (form) => imported(JSON.stringify([entityOf(form)], undefined, 2))],
  ["an answer of the service", (form) => imported(JSON.stringify({ value: [entityOf(form)] }))],
  [
    "CSV",
    ({ edm, text: value }) => imported(`PartitionKey,RowKey,V,V@type\r\np,r,${csvCell(value)},${edm}\r\n`),
  ],
  [
    "CSV with short types",
    (form) => imported(`RowKey,V@type,V,PartitionKey\nr,${form.edm.slice(4)},${csvCell(form.text)},p`),
  ],
];

describe.each(doors)("%s", (_name, write) => {
  test.each(valueForms)("takes $text of $edm as $stored", async (form) => {
    const written = write(form);

    if (form.stored === undefined)
      await expect(written).rejects.toMatchObject({ code: /^(storage\.invalid-input|transfer\.line)$/ });
    else {
      await written;
      expect(await rowsOf(storage, "Forms")).toEqual([storedRow(form)]);
    }
  });
});

describe("a number without a type", () => {
  test.each(untypedNumbers)("%s in a file is %s", async (json, edm, value) => {
    const written = imported(`{"PartitionKey":"p","RowKey":"r","V":${json}}`);

    // More digits than a Double has: a file would be stored as another number.
    if (json === "10000000000000000") {
      await expect(written).rejects.toMatchObject({ code: "transfer.line" });
      return;
    }
    await written;
    const row = (await rowsOf(storage, "Forms"))[0] as StoredEntity;
    expect(lookupIn(row)("V")).toEqual({ edm, value });
  });

  test.each(untypedNumbers)("%s in an answer is %s", (json, edm, value) => {
    for (const [before, after] of [
      ['{"PartitionKey":"p","RowKey":"r","name":"e1, 2e3 and 4e5","V":', "}"],
      ['{"PartitionKey": "p", "RowKey": "r", "V": ', ', "name": "1e1"}'],
      ['{"value":[{"PartitionKey":"p","RowKey":"4185404a-5e18-48c3-b9be-f217df0dba6f","V":', ',"W":"x"}]}'],
    ] as const) {
      const parsed = parseAnswer(`${before}${json}${after}`) as { value?: unknown[] };
      const row = (parsed.value?.[0] ?? parsed) as StoredEntity;

      const found = lookupIn(row)("V");
      expect(found?.edm).toBe(edm);
      expect(typedValue(found?.value, edm)?.value).toBe(value);
    }
  });
});

const filtered = valueForms.filter(({ literal }) => literal !== undefined);

describe("a filter", () => {
  test.each(filtered)("takes V eq $literal", async (form) => {
    const read = (): FilterNode => parseFilter(`V eq ${form.literal}`);

    if (form.stored === undefined)
      expect(read).toThrow(expect.objectContaining({ code: "query.filter-syntax" }) as Error);
    else expect(await rowsFound(form, read())).toEqual(["r"]);
  });

  test.each(valueForms.filter(({ edm }) => textTypes.has(edm)))(
    "made by hand takes $text of $edm",
    async (form) => {
      const { edm, text: value } = form;
      const found = rowsFound(form, { op: "eq", name: "V", literal: { edm, value } as Literal });

      if (form.stored === undefined)
        await expect(found).rejects.toMatchObject({ code: "storage.invalid-input" });
      else expect(await found).toEqual(["r"]);
    },
  );
});

/** Types whose constants are text. */
const textTypes: ReadonlySet<string> = new Set(["Edm.Int64", "Edm.DateTime", "Edm.Guid", "Edm.Binary"]);

/** The RowKeys that a filter finds where the value of a form is stored. */
async function rowsFound(form: ValueForm, filter: FilterNode): Promise<string[]> {
  const entity = (form.stored === undefined ? keys : storedRow(form)) as StoredEntity;
  await storage.write("Forms", { type: "insert", entity });
  const { entities } = await storage.query("Forms", { filter });
  return entities.map(({ RowKey }) => RowKey);
}

class Form extends defineEntity({
  table: "Forms",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: {
    when: dateTime({ ticks: true }).optional(),
    id64: int64().optional(),
    id32: int32().optional(),
    weight: double().optional(),
    isOpen: bool().optional(),
    guid: guid().optional(),
    bytes: binary().optional(),
  },
}) {}

const propertyOf: Readonly<Record<string, string>> = {
  "Edm.DateTime": "when",
  "Edm.Int64": "id64",
  "Edm.Int32": "id32",
  "Edm.Double": "weight",
  "Edm.Boolean": "isOpen",
  "Edm.Guid": "guid",
  "Edm.Binary": "bytes",
};

describe("fromPlain", () => {
  test.each(valueForms)("takes $text of $edm as $stored", ({ edm, text: value, stored }) => {
    const property = propertyOf[edm] as string;
    const read = (given: unknown): unknown =>
      toPlain(fromPlain(Form, { tenant: "p", id: "r", [property]: given }))[property];

    if (stored === undefined)
      expect(() => read(value)).toThrow(expect.objectContaining({ code: "plain.invalid-value" }) as Error);
    else expect(read(value)).toEqual(read(stored));
  });
});
