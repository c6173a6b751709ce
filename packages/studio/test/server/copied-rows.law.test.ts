import { fc } from "@fast-check/vitest";
import { openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { amountOf } from "@partita/test-support/effort";
import { fill, sourceOf } from "@partita/test-support/rows";
import { storedEntity } from "@partita/testing/arbitraries";
import { compareTables, importTable } from "@partita/transfer";
import { beforeAll, expect, test } from "vitest";
import type { Row } from "../../src/api/cells.ts";
import type { CellEditResult, CopiedRows, PastedRows } from "../../src/api/grid-edits.ts";
import type { RowPage } from "../../src/api/queries.ts";
import type { SaveSummary } from "../../src/api/staged.ts";
import { typedCells } from "../../src/page/grid/range-text.ts";
import { type OpenApi, openApi } from "./open-api.ts";

const amount = amountOf({ short: 1000, full: 10_000, long: 10_000 });

let from: TableStorage;
let api: OpenApi;
let rows: readonly Row[];
beforeAll(async () => {
  from = await openStorage("memory:");
  const sample = fc.sample(storedEntity(4), { numRuns: amount, seed: 20_261_127 });
  await fill(from, "Rows", sample.map(withOwnKey));
  api = await openApi(from, []);
  rows = await readAll(api);
  expect(rows).toHaveLength(amount);
});

const names = ["constructor", "toString", "__proto__", "Übergröße", "x\u0301", "_", "Name", "name"];

/** Random keys may repeat, and CSV has no room for thousands of columns: the same values under few names. */
function withOwnKey(entity: StoredEntity, first: number): StoredEntity {
  const values = Object.keys(entity).filter((name) => !name.includes("@") && !name.endsWith("Key"));
  const members = values.flatMap((name, i): [string, unknown][] => {
    const other = names[(first + i) % names.length] ?? "";
    const type = entity[`${name}@odata.type`];
    return [
      ...(type === undefined ? [] : [[`${other}@odata.type`, type] as [string, unknown]]),
      [other, entity[name]],
    ];
  });
  const key = { PartitionKey: `${first % 40}`, RowKey: `${first}${entity.RowKey}` };
  return { ...key, ...(Object.fromEntries(members) as object) };
}

async function readAll(reader: OpenApi): Promise<readonly Row[]> {
  const all: Row[] = [];
  let after: string | undefined;
  do {
    const page = await reader.ask<RowPage>("POST rows/page", { table: "Rows", text: "", size: 1000, after });
    all.push(...page.rows);
    after = page.next;
  } while (after !== undefined);
  return all;
}

const copy = async (format: string): Promise<string> => {
  const keys = rows.map(({ partitionKey, rowKey }) => ({ partitionKey, rowKey }));
  const { text, missing } = await api.ask<CopiedRows>("POST rows/copy", {
    table: "Rows",
    rows: keys,
    format,
  });
  expect(missing).toBe(0);
  return text;
};

async function tableOf(stored: readonly StoredEntity[]): Promise<{ to: TableStorage; other: OpenApi }> {
  const to = await openStorage("memory:");
  await fill(to, "Rows", stored);
  return { to, other: await openApi(to, []) };
}

test.each(["jsonl", "csv"] as const)(
  "rows copied as %s and imported are equal with EDM types",
  async (format) => {
    const { to } = await tableOf([]);

    const text = await copy(format);
    await importTable(to, "Rows", sourceOf(text), { format });

    expect(await compareTables(from, to, "Rows")).toMatchObject({
      first: amount,
      isEqual: true,
    });
  },
);

test.each(["jsonl", "csv"] as const)(
  "rows copied as %s, pasted and saved are equal with EDM types, and pasting them again changes nothing",
  async (format) => {
    const { to, other } = await tableOf([]);
    const text = await copy(format);

    const pasted = await other.ask<PastedRows>("POST staged/paste", { table: "Rows", text });
    const { saved } = await other.ask<SaveSummary>("POST staged/save", {});
    const again = await other.ask<PastedRows>("POST staged/paste", { table: "Rows", text });

    expect(pasted).toMatchObject({ added: amount, changed: 0, refused: [] });
    expect(saved).toBe(amount);
    expect(again).toMatchObject({ added: 0, changed: 0, unchanged: amount, staged: [] });
    expect(await compareTables(from, to, "Rows")).toMatchObject({ first: amount, isEqual: true });
  },
);

test("cells copied from the page, pasted into other rows and saved are equal with EDM types", async () => {
  const keys = rows.map(({ partitionKey, rowKey }) => ({ PartitionKey: partitionKey, RowKey: rowKey }));
  const { to, other } = await tableOf(keys);
  const targets = await readAll(other);
  const clipboard = JSON.stringify(rows.map(({ cells }) => cells));

  const copied = typedCells(clipboard) ?? [];
  const edits = targets.map(({ partitionKey, rowKey, etag }, i) => ({
    partitionKey,
    rowKey,
    etag,
    changes: (copied[i] ?? []).flatMap((cell) =>
      cell === undefined ? [] : { name: cell[0], type: cell[1], value: cell[2] },
    ),
  }));
  for (let at = 0; at < edits.length; at += 1000) {
    const part = { table: "Rows", rows: edits.slice(at, at + 1000) };
    expect((await other.ask<CellEditResult>("POST staged/cells", part)).refused).toEqual([]);
  }
  await other.ask<SaveSummary>("POST staged/save", {});

  expect(await compareTables(from, to, "Rows")).toMatchObject({ first: amount, isEqual: true });
});
