import { test as propertyTest } from "@fast-check/vitest";
import { openStorage, type TableStorage } from "@partita/core";
import { checkFilter, evaluateFilter, filterSql, lookupIn } from "@partita/core/internal/sql";
import type { FilterNode, StoredEntity } from "@partita/core/storage";
import { hasPostgres } from "@partita/test-support/postgres";
import { scanCase, writeRows } from "@partita/test-support/scan-cases";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresDialect } from "../src/pages/postgres-dialect.ts";
import { freshSchema, server } from "./fresh-schema.ts";

describe.runIf(hasPostgres)("filters in SQL", () => {
  let storage: TableStorage;
  let client: pg.Client;
  let schema = "";
  beforeAll(async () => {
    const target = await freshSchema();
    schema = new URL(target).searchParams.get("schema") ?? "";
    storage = await openStorage(target);
    client = new pg.Client({ connectionString: server() });
    await client.connect();
  });
  afterAll(async () => {
    await storage.close();
    await client.end();
  });

  /** The result of SQL for each row, and that of JavaScript. */
  async function verdicts(
    id: number,
    drawn: FilterNode,
    all: readonly StoredEntity[],
  ): Promise<[unknown, boolean][]> {
    const filter = checkFilter(drawn);
    const { certain, possible, values } = filterSql(filter, postgresDialect(1));
    const text = `select ${certain}, ${possible} from ${schema}.rows where t = $1 order by pk, rk`;
    const { rows } = await client.query<unknown[]>({ text, values: [id, ...values], rowMode: "array" });
    return rows.map(([sure, may], i) => {
      expect(may).toBe(sure !== false);
      return [sure, evaluateFilter(filter, lookupIn(all[i] as StoredEntity))];
    });
  }

  let [decided, undecided] = [0, 0];

  propertyTest.prop([scanCase], { numRuns: 120 })(
    "what SQL decides of a row is what JavaScript says, and a query returns just these rows",
    async ([rows, filters]) => {
      await storage.deleteTable("Rows").catch(() => undefined);
      await storage.createTable("Rows");
      await writeRows(storage, "Rows", rows);
      const { entities: all } = await storage.query("Rows", {});
      const {
        rows: [[id] = []],
      } = await client.query<unknown[]>({
        text: `select id from ${schema}.tables`,
        rowMode: "array",
      });
      for (const filter of filters) {
        for (const [sql, isWanted] of await verdicts(id as number, filter, all)) {
          if (sql !== null) expect([sql, filter]).toEqual([isWanted, filter]);
          if (sql === null) undecided++;
          else decided++;
        }
        const { entities } = await storage.query("Rows", { filter });
        expect(entities).toEqual(all.filter((entity) => evaluateFilter(filter, lookupIn(entity))));
      }
    },
  );

  test("SQL decides most of the rows of that law", () => {
    expect(decided).toBeGreaterThan(1000);
    expect(undecided).toBeLessThan(decided / 3);
  });

  propertyTest.prop([scanCase], { numRuns: 120 })(
    "rows are stored as the memory store stores them",
    async ([rows]) => {
      await using memory = await openStorage("memory:");
      const stored = await Promise.all(
        [memory, storage].map(async (each) => {
          await each.deleteTable("Same").catch(() => undefined);
          await each.createTable("Same");
          await writeRows(each, "Same", rows);
          const { entities } = await each.query("Same", {});
          return entities.map(({ Timestamp: _time, "odata.etag": _etag, ...rest }) => rest);
        }),
      );
      expect(stored[1]).toEqual(stored[0]);
    },
  );
});
