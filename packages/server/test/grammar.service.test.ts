import { openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { atomProperties, lookupIn, printEntry } from "@partita/core/protocol";
import {
  acceptedForms,
  refusedForms,
  untypedNumbers,
  type ValueForm,
} from "@partita/test-support/value-forms";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../src/index.ts";
import { type Ask, asker, codeIn } from "./ask.ts";

// The table of forms over the wire, from clients that are not ours.

let server: TableServer;
let ask: Ask;
let inner: TableStorage;
beforeAll(async () => {
  inner = await openStorage("memory:");
  server = await startTableServer({ storage: inner, account: "acct" });
  ask = asker(server);
  await inner.createTable("Forms");
});
afterAll(() => server.close());

const keys = { PartitionKey: "p", RowKey: "r" };
const entityOf = ({ edm, text }: ValueForm): StoredEntity => ({ ...keys, V: text, "V@odata.type": edm });
const one = "/Forms(PartitionKey='p',RowKey='r')";
const atom = {
  "content-type": "application/atom+xml",
  accept: "application/atom+xml",
  "x-ms-version": "2011-08-18",
};
const entry = (entity: StoredEntity): string =>
  printEntry({
    id: "",
    updated: "2020-01-01T00:00:00Z",
    properties: atomProperties(entity),
    isDocument: true,
  });
const stored = (): ReturnType<TableStorage["get"]> => inner.get("Forms", { partitionKey: "p", rowKey: "r" });
const remove = (): Promise<unknown> =>
  inner.write("Forms", { type: "delete", key: { partitionKey: "p", rowKey: "r" }, etag: "*" });

const doors: readonly (readonly [name: string, write: (form: ValueForm) => ReturnType<Ask>])[] = [
  ["an insert", (form) => ask("/Forms", { method: "POST", body: JSON.stringify(entityOf(form)) })],
  ["an upsert", (form) => ask(one, { method: "PUT", body: JSON.stringify(entityOf(form)) })],
  ["a merge", (form) => ask(one, { method: "MERGE", body: JSON.stringify(entityOf(form)) })],
  [
    "an insert in Atom",
    (form) => ask("/Forms", { method: "POST", headers: atom, body: entry(entityOf(form)) }),
  ],
];

describe.each(doors)("%s", (_name, write) => {
  test.each(acceptedForms)("takes $text of $edm as $stored", async (form) => {
    const { status, text } = await write(form);

    expect([Math.floor(status / 100), codeIn(text)]).toEqual([2, undefined]);
    expect(lookupIn((await stored()) as StoredEntity)("V")).toEqual({ edm: form.edm, value: form.stored });
    await remove();
  });

  test.each(refusedForms)("refuses $text of $edm", async (form) => {
    const { status, text } = await write(form);

    expect([status, codeIn(text)]).toEqual([400, "InvalidInput"]);
  });
});

const filtered = (filter: string): ReturnType<Ask> => ask(`/Forms()?$filter=${encodeURIComponent(filter)}`);
const hasLiteral = ({ literal }: ValueForm): boolean => literal !== undefined;

describe("a filter", () => {
  test.each([
    ...acceptedForms
      .filter(hasLiteral)
      .map(({ literal, stored: value, edm }) => [`V eq ${literal}`, value, edm] as const),
    ["PartitionKey eq'p' and RowKey eq'r'", "x", "Edm.String"] as const,
    ["V ge 5454161346626L", "5454161346626", "Edm.Int64"] as const,
  ])("%s finds the row", async (filter, value, edm) => {
    const entity = { ...keys, V: value, "V@odata.type": edm } as StoredEntity;
    await inner.write("Forms", { type: "upsert-replace", entity });

    expect((await filtered(filter)).text).toContain('"RowKey":"r"');
    await remove();
  });

  test.each([
    ...refusedForms.filter(hasLiteral).map(({ literal }) => `V eq ${literal}`),
    "PartitionKey eq 'p'and V eq 'x'",
    "V ge 5454161346626",
  ])("%s is refused", async (filter) => {
    const { status, text } = await filtered(filter);

    expect([status, codeIn(text)]).toEqual([400, "InvalidInput"]);
  });
});

test.each(untypedNumbers)("the number %s without a type is %s", async (json, edm, value) => {
  await ask(one, { method: "PUT", body: `{"V":${json}}` });

  expect(lookupIn((await stored()) as StoredEntity)("V")).toEqual({ edm, value });
  await remove();
});

test.each(["json", "atom"] as const)(
  "minus zero that is written as a number keeps its sign, as %s",
  async (format) => {
    const entity = { ...keys, "V@odata.type": "Edm.Double", V: -0 };
    await using storage = await openStorage(server.connectionString, { format });
    const writes = [
      () => storage.write("Forms", { type: "upsert-replace", entity }),
      () => storage.transact("Forms", [{ type: "upsert-replace", entity }]),
      () => inner.write("Forms", { type: "upsert-replace", entity }),
    ];

    for (const write of writes) {
      await write();

      expect(await inner.get("Forms", { partitionKey: "p", rowKey: "r" })).toMatchObject({ V: "-0.0" });
    }
  },
);
