import { TableContext, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { evaluateFilter, lookupIn } from "@partita/core/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Plan, PlanResponse, RowPage } from "../../src/api/queries.ts";
import { loadCore } from "../../src/server/core.ts";
import { firstRows } from "../../src/server/rows/first-rows.ts";
import { citiesOf, City, Country, generatedStore } from "../generated-store.ts";
import { openApi } from "./open-api.ts";

/** Looks at 50 rows in each request, as a service does that filters while it reads. */
const inSteps = (storage: TableStorage): TableStorage =>
  forwardStorage(storage, {
    async query(table, { filter, ...query }) {
      const { entities, next } = await storage.query(table, { ...query, top: 50 });
      const isMeant = (row: (typeof entities)[number]): boolean =>
        filter === undefined || evaluateFilter(filter, lookupIn(row)) === true;
      return { entities: entities.filter(isMeant), ...(next !== undefined && { next }) };
    },
  });

test("a page of a rare class ends after its budget, and the next page continues there", async () => {
  const core = await loadCore();
  const storage = inSteps(await generatedStore());
  const names: string[] = [];
  let [pages, after]: [number, string | undefined] = [0, undefined];
  do {
    const first = firstRows(core, storage, after, 0);
    const query = new TableContext(first.storage).query(Country).scan();
    const { entities, next } = await query.page({ size: 100, after: first.after });
    names.push(...entities.map(({ name }) => name));
    after = next ?? first.stoppedAt();
    pages++;
  } while (after !== undefined);

  expect(names).toEqual(["FR", "JP"]);
  expect(pages).toBeGreaterThan((2 * citiesOf) / 50);
});

test.each([
  ["rows as stored", undefined, "name eq 'JP 299'"],
  ["entities", "City", "name eq 'JP 299'"],
])(
  "a page of a filter that matches few %s ends after its time, and all are found",
  async (_, className, text) => {
    const stored = await generatedStore();
    const expected = (await stored.query("Places", {})).entities.filter(({ name }) => name === "JP 299");
    const clock = vi.spyOn(performance, "now");
    onTestFinished(() => clock.mockRestore());
    let time = 0;
    clock.mockImplementation(() => (time += 1000));
    const api = await openApi(inSteps(stored), [City, Country]);
    const found: unknown[] = [];
    let [pages, after]: [number, string | undefined] = [0, undefined];
    do {
      const query: object = { table: "Places", className, text, allowScan: true, size: 100, after };
      const { rows, next }: RowPage = await api.ask<RowPage>("POST rows/page", query);
      found.push(...rows);
      after = next;
      pages++;
    } while (after !== undefined);

    expect(expected.length).toBeGreaterThan(0);
    expect(found).toHaveLength(expected.length);
    expect(pages).toBeGreaterThan(2);
  },
);

test("a query without conditions reads one page, and its plan has no rating", async () => {
  let read = 0;
  const stored = await generatedStore();
  const storage = forwardStorage(stored, {
    async query(table, query, options) {
      const page = await stored.query(table, query, options);
      read += page.entities.length;
      return page;
    },
  });
  const api = await openApi(storage, [City, Country]);
  const query = { table: "Places", className: "City", text: "", size: 100 };

  const { plan } = (await api.ask<PlanResponse>("POST rows/plan", query)) as { plan: Plan };
  const page = await api.ask<RowPage>("POST rows/page", query);

  expect(plan).toMatchObject({
    text: "City in table Places, in the order of its keys",
    needsPermission: false,
  });
  expect(plan).not.toHaveProperty("rating");
  expect([page.rows.length, read]).toEqual([100, 100]);
  expect(page.next).toBeDefined();
});
