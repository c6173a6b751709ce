import { TableContext, type TableStorage } from "@partita/core";
import { beforeEach, describe, expect, test } from "vitest";
import type { Cell } from "../../src/api/cells.ts";
import type { Plan, PlanResponse, RowPage } from "../../src/api/queries.ts";
import type { OpenRow, StagedChange } from "../../src/api/staged.ts";
import type { StorageInfo } from "../../src/api/tables.ts";
import { citiesOf, City, Country, generatedStore } from "../generated-store.ts";
import { type OpenApi, openApi } from "./open-api.ts";

let storage: TableStorage;
let api: OpenApi;
beforeEach(async () => {
  storage = await generatedStore();
  api = await openApi(storage, [City, Country]);
});

const planOf = async (text: string, className: string | null = "City"): Promise<PlanResponse> =>
  api.ask("POST rows/plan", { table: "Places", className, text });

async function rowsOf(text: string, className: string | null = "City"): Promise<RowPage["rows"]> {
  const asked = { table: "Places", className, text, size: 1000, allowScan: true };
  return (await api.ask<RowPage>("POST rows/page", asked)).rows;
}

const cellOf = (cells: readonly Cell[], name: string): Cell | undefined =>
  cells.find(([own]) => own === name);

describe("key numbers above 2^31 of a generated class", () => {
  test("have the type that the model declares", async () => {
    const { tables } = await api.ask<StorageInfo>("GET info");

    const [city] = tables[0]?.classes ?? [];
    expect(city?.fields.map(({ name, type }) => [name, type])).toEqual([
      ["partitionKey", "String"],
      ["number", "Int64"],
      ["number2", "Int32"],
      ["name", "String"],
      ["latitude", "Double"],
      ["longitude", "Double"],
      ["alternativeName", "String"],
      ["visitors", "Int64"],
    ]);
  });

  test.each([
    "number lt 9998000000",
    "number lt 9998000000L",
    "number le 9997999999",
    "not (number ge 9998000000)",
    "number lt 9997999999.5",
    "number ge 0 and number lt 9998000000",
  ])("are compared by %s", async (condition) => {
    const rows = await rowsOf(`partitionKey eq 'FR' and ${condition}`);

    expect(rows).toHaveLength(100);
    expect(cellOf(rows[99]?.cells ?? [], "number")).toEqual(["number", "Int64", "9997990000"]);
  });

  test("are planned as key ranges", async () => {
    const { plan } = (await planOf("partitionKey eq 'FR' and number lt 9998000000")) as { plan: Plan };

    expect(plan.rating).toBe("good");
    expect(plan.requests[0]?.keys).toContain("City_9998000000");
    expect(await planOf("partitionKey eq 'FR' and number eq 9998000000 and number2 eq 100")).toMatchObject({
      plan: { rating: "best" },
    });
  });

  test("may be compared with numbers that the key cannot hold", async () => {
    expect(await rowsOf("partitionKey eq 'FR' and number lt 99980000000")).toHaveLength(citiesOf);
    expect(await rowsOf("partitionKey eq 'FR' and number gt -1")).toHaveLength(citiesOf);
    expect(await planOf("number eq 'x'")).toEqual({
      problem: "City.number takes an integer from 0 to 9999999999.",
    });
  });

  test("are compared in properties, too", async () => {
    expect(await rowsOf("partitionKey eq 'FR' and visitors ge 9000000000000000290")).toHaveLength(10);
    expect(await rowsOf("partitionKey eq 'FR' and latitude lt 9998000000")).toHaveLength(citiesOf);
    expect(await rowsOf("visitors ge 9000000000000000290", null)).toHaveLength(20);
  });

  test("are edited and inserted with a form", async () => {
    const [row] = await rowsOf("partitionKey eq 'FR' and number eq 9998000000");
    const { id, etag } = await api.ask<OpenRow>("POST staged/open", {
      table: "Places",
      className: "City",
      ...row,
    });
    await api.ask("POST staged/edit", {
      id,
      etag,
      changes: [{ name: "visitors", type: "Int64", value: "9223372036854775807" }],
    });
    const staged = await api.ask<readonly StagedChange[]>("POST staged/insert", {
      table: "Places",
      className: "City",
      cells: [
        { name: "partitionKey", type: "String", value: "FR" },
        { name: "number", type: "Int64", value: "9999999999" },
        { name: "number2", type: "Int32", value: 7 },
        { name: "name", type: "String", value: "New" },
        { name: "latitude", type: "Double", value: 1 },
        { name: "longitude", type: "Double", value: 2 },
      ],
    });
    await api.ask("POST staged/save", {});

    expect(staged).toHaveLength(2);
    const cities = await new TableContext(storage).query(City).where({ partitionKey: "FR" }).toArray();
    expect(cities.find(({ number }) => number === 9_998_000_000)?.visitors).toBe(9_223_372_036_854_775_807n);
    expect(cities.find(({ number }) => number === 9_999_999_999)?.name).toBe("New");
  });
});

describe("lists and prefixes", () => {
  test("become key ranges of a class", async () => {
    const text = "partitionKey in ('FR', 'JP') and number in (9997000000, 9998000000, 9999000000)";
    const { plan } = (await planOf(text)) as { plan: Plan };

    expect(plan.requests).toHaveLength(6);
    expect(plan.rating).not.toBe("worst");
    expect(await rowsOf(text)).toHaveLength(6);
  });

  test("become ranges of stored keys", async () => {
    const { plan } = (await planOf("PartitionKey eq 'FR' and startswith(RowKey, 'City_9998')", null)) as {
      plan: Plan;
    };

    expect(plan.rating).toBe("good");
    expect(await rowsOf("PartitionKey eq 'FR' and startswith(RowKey, 'City_9998')", null)).toHaveLength(100);
    expect(await rowsOf("startswith(name,'FR 29')")).toHaveLength(11);
    expect(await rowsOf("not startswith(name,'FR') and PartitionKey in ('FR','JP')", null)).toHaveLength(
      citiesOf + 1,
    );
  });

  test.each([
    ["name in ()", "Write name in ('a', 'b') with 1 to 100 constants."],
    ["name in ('a' 'b')", "Write a comma between the values of in (…) and startswith(…)."],
    ["name in ('a', b)", "Write name in ('a', 'b') with 1 to 100 constants."],
    ["name in ('a'", "A parenthesis of in (…) or startswith(…) is not closed."],
    ["startswith(name)", "Write startswith(name, 'text') with a property and a text that is not empty."],
    ["startswith(name, '')", "Write startswith(name, 'text') with a property and a text that is not empty."],
    ["startswith(number, 5)", "Write startswith(name, 'text') with a property and a text that is not empty."],
    ["name eq 'a', 'b'", "A comma belongs into in (…) or startswith(…)."],
  ])("explain %s", async (text, problem) => {
    expect(await planOf(text)).toEqual({ problem });
  });

  test("leave texts with commas and long numbers as they are", async () => {
    expect(await rowsOf("name eq 'in (1, 9998000000)' and partitionKey eq 'FR'")).toHaveLength(0);
    expect(await planOf("name eq 'a,b''s, 9998000000'")).toMatchObject({ plan: { rating: "worst" } });
  });
});
