import { importTable } from "@partita/transfer";
import {
  acceptedForms,
  refusedForms,
  untypedNumbers,
  type ValueForm,
} from "@partita/test-support/value-forms";
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
  type TableStorage,
  text,
  toPlain,
} from "../../../src/index.ts";
import type { PlainEntity } from "../../../src/models.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { parseResponse } from "../../../src/stores/azure/wire/entity-json.ts";
import { dateTimeSerializer } from "../../../src/values/edm/date-time.ts";
import { canonicalDateTime } from "../../../src/values/edm/date-time-text.ts";
import type { AnySerializer } from "../../../src/values/edm/serializer.ts";
import { ticksSerializer } from "../../../src/values/edm/ticks.ts";
import { typedValue } from "../../../src/values/edm/typed-value.ts";
import { lookupIn } from "../../../src/values/filter/evaluate-filter.ts";
import { parseFilter } from "../../../src/values/filter/parse-filter.ts";
import type { FilterNode, Literal } from "../../../src/values/filter/filter-node.ts";
import { rowsOf, sourceOf } from "@partita/test-support/rows";

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

const refusal = expect.stringMatching(/^(storage\.invalid-input|transfer\.line)$/) as string;

describe.each(doors)("%s", (_name, write) => {
  test.each(acceptedForms)("takes $text of $edm as $stored", async (form) => {
    await write(form);

    expect(await rowsOf(storage, "Forms")).toEqual([storedRow(form)]);
  });

  test.each(refusedForms)("refuses $text of $edm", async (form) => {
    await expect(write(form)).rejects.toMatchObject({ code: refusal });
  });
});

const rowWith = (json: string): string => `{"PartitionKey":"p","RowKey":"r","V":${json}}`;
/** More digits than a Double has: a file would be stored as another number. */
const tooManyDigits = "10000000000000000";

describe("a number without a type", () => {
  test.each(untypedNumbers.filter(([json]) => json !== tooManyDigits))(
    "%s in a file is %s",
    async (json, edm, value) => {
      await imported(rowWith(json));

      const row = (await rowsOf(storage, "Forms"))[0] as StoredEntity;
      expect(lookupIn(row)("V")).toEqual({ edm, value });
    },
  );

  test("with more digits than a Double is refused in a file", async () => {
    await expect(imported(rowWith(tooManyDigits))).rejects.toMatchObject({ code: "transfer.line" });
  });

  test.each(untypedNumbers)("%s in an answer is %s", (json, edm, value) => {
    for (const [before, after] of [
      ['{"PartitionKey":"p","RowKey":"r","name":"e1, 2e3 and 4e5","V":', "}"],
      ['{"PartitionKey": "p", "RowKey": "r", "V": ', ', "name": "1e1"}'],
      ['{"value":[{"PartitionKey":"p","RowKey":"4185404a-5e18-48c3-b9be-f217df0dba6f","V":', ',"W":"x"}]}'],
    ] as const) {
      const parsed = parseResponse(`${before}${json}${after}`) as { value?: unknown[] };
      const row = (parsed.value?.[0] ?? parsed) as StoredEntity;

      const found = lookupIn(row)("V");
      expect(found?.edm).toBe(edm);
      expect(typedValue(found?.value, edm)?.value).toBe(value);
    }
  });
});

/** Types whose constants are text. */
const textTypes: ReadonlySet<string> = new Set(["Edm.Int64", "Edm.DateTime", "Edm.Guid", "Edm.Binary"]);

const hasLiteral = ({ literal }: ValueForm): boolean => literal !== undefined;
const isOfText = ({ edm }: ValueForm): boolean => textTypes.has(edm);
const byHand = ({ edm, text: value }: ValueForm): FilterNode => ({
  op: "eq",
  name: "V",
  literal: { edm, value } as Literal,
});

describe("a filter", () => {
  test.each(acceptedForms.filter(hasLiteral))("takes V eq $literal", async (form) => {
    expect(await rowsFound(form, parseFilter(`V eq ${form.literal}`))).toEqual(["r"]);
  });

  test.each(refusedForms.filter(hasLiteral))("refuses V eq $literal", ({ literal }) => {
    expect(() => parseFilter(`V eq ${literal}`)).toThrow(
      expect.objectContaining({ code: "query.filter-syntax" }) as Error,
    );
  });

  test.each(acceptedForms.filter(isOfText))("made by hand takes $text of $edm", async (form) => {
    expect(await rowsFound(form, byHand(form))).toEqual(["r"]);
  });

  test.each(refusedForms.filter(isOfText))("made by hand refuses $text of $edm", async (form) => {
    await expect(storage.query("Forms", { filter: byHand(form) })).rejects.toMatchObject({
      code: "storage.invalid-input",
    });
  });
});

/** The RowKeys that a filter finds where the value of a form is stored. */
async function rowsFound(form: ValueForm, filter: FilterNode): Promise<string[]> {
  await storage.write("Forms", { type: "insert", entity: storedRow(form) as StoredEntity });
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

const readPlain = (edm: string, value: unknown): unknown => {
  const property = propertyOf[edm] as string;
  const plain: PlainEntity = toPlain(fromPlain(Form, { tenant: "p", id: "r", [property]: value }));
  return plain[property];
};

describe("fromPlain", () => {
  test.each(acceptedForms)("takes $text of $edm as $stored", ({ edm, text: value, stored }) => {
    expect(readPlain(edm, value)).toEqual(readPlain(edm, stored));
  });

  test.each(refusedForms)("refuses $text of $edm", ({ edm, text: value }) => {
    expect(() => readPlain(edm, value)).toThrow(
      expect.objectContaining({ code: "plain.invalid-value" }) as Error,
    );
  });
});

const path = { entity: "Form", property: "when" };
const accepted = acceptedForms.filter(({ edm }) => edm === "Edm.DateTime");

describe.each([dateTimeSerializer, ticksSerializer] as readonly AnySerializer[])(
  "$name of a row that another store answered",
  (serializer) => {
    test.each(accepted)(
      "is read from $text, is no change, and is written back as the same time",
      ({ text: stored }) => {
        const value: unknown = serializer.decode(stored, "Edm.DateTime", path);
        const snapshotValue = serializer.keep(stored, value, "Edm.DateTime");

        expect(serializer.isUnchanged(snapshotValue, value)).toBe(true);
        expect(canonicalDateTime(String(serializer.restore(snapshotValue, path)))).toBe(
          canonicalDateTime(stored),
        );
      },
    );
  },
);
