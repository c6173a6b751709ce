import { isLong } from "@partita/test-support/effort";
import { test as propertyTest } from "@fast-check/vitest";
import { assertRequests } from "@partita/testing";
import { lawParts } from "@partita/test-support/seed";
import { describe, expect } from "vitest";
import {
  createTables,
  openStorage,
  type Query,
  TableContext,
  type TableStorage,
} from "../../../src/index.ts";
import type { ExplainedRequest, QueryType } from "../../../src/models.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { evaluateFilter, type FilterNode, lookupIn, parseFilter } from "../../../src/protocol.ts";
import { modelOf } from "../../../src/models.ts";
import { queryTypes, worse } from "../../../src/query/plan/query-plan.ts";
import { forwardStorage } from "../../../src/storage/forward-storage.ts";
import { lawCase, store } from "./law.ts";
import { build, printTree } from "./random-predicate.ts";

const runs = isLong ? 20_000 : 300;

/** What a store was asked for, and what it returned. */
interface Observed {
  readonly types: QueryType[];
  readonly rows: StoredEntity[];
}

/** A storage that reports each request by the keys that it asks for, as the store sees them. */
function observe(storage: TableStorage, { types, rows }: Observed): TableStorage {
  return forwardStorage(storage, {
    async get(table, key, options) {
      types.push("point");
      const row = await storage.get(table, key, options);
      if (row !== undefined) rows.push(row);
      return row;
    },
    async query(table, query, options) {
      if (query.after === undefined) types.push(typeOf(query.filter));
      const page = await storage.query(table, query, options);
      rows.push(...page.entities);
      return page;
    },
  });
}

/** The type of a request, by the comparisons of keys that all of its rows must satisfy. */
function typeOf(filter: FilterNode | undefined): QueryType {
  const nodes = filter?.op === "and" ? filter.nodes : filter === undefined ? [] : [filter];
  const compared = (name: string): string[] =>
    nodes.flatMap((node) => ("name" in node && node.name === name ? [node.op] : []));
  const [partition, row] = [compared("PartitionKey"), compared("RowKey")];
  if (partition.includes("eq")) return row.length > 0 ? "row range scan" : "partition scan";
  return partition.length > 0 ? "partition range scan" : "table scan";
}

describe.each(lawParts(runs, 4))("part $part", ({ options }) => {
  propertyTest.prop([lawCase({ hasTicks: true })], options)(
    "no query does more than its plan says: in types, requests, partitions and key ranges",
    async ({ model, rows, predicates }) => {
      const { entityClass, description } = model;
      await using storage = await openStorage("memory:");
      await createTables(storage, [entityClass]);
      await store(storage, model, rows);
      const { table } = modelOf(entityClass);
      for (const predicate of predicates) {
        const observed: Observed = { types: [], rows: [] };
        const context = new TableContext(observe(storage, observed), { mergeOption: "noTracking" });
        const query = context
          .query(entityClass)
          .where((columns) => build(predicate, columns as never))
          .scan();
        const { type, requests, partitions = Number.POSITIVE_INFINITY } = query.explain();
        const about = `${description}\n${printTree(predicate)}\n${String(query.explain())}`;
        const holds = (): void => {
          const worst = observed.types.reduce(worse, queryTypes[0] as QueryType);
          expect(worse(type, worst), about).toBe(type);
          expect(observed.types.length, about).toBeLessThanOrEqual(requests.length);
          const found = new Set(observed.rows.map(({ PartitionKey }) => PartitionKey));
          expect(found.size, about).toBeLessThanOrEqual(partitions);
          for (const row of observed.rows)
            expect(
              requests.some((each) => isOf(each, row)),
              about,
            ).toBe(true);
          observed.types.length = observed.rows.length = 0;
        };
        const said = requests.map((each) => `${each.type === "point" ? "get" : "query"} ${table}`);

        await assertRequests(said, () => query.toArray(), { inOrder: false });
        holds();
        for (const read of partsOf(query)) {
          await read();
          holds();
        }
      }
    },
  );
});

/** Reads that may stop before their plan ends. */
const partsOf = (query: Query<object>): (() => Promise<unknown>)[] => [
  () => query.first(),
  () => query.count(),
  () => query.take(2).toArray(),
  () => query.page({ size: 3 }),
];

/** Whether a request asks for a row, by its keys and its filter. */
const isOf = ({ keys, filter }: ExplainedRequest, row: StoredEntity): boolean =>
  [keys, filter].every((text) => text === undefined || evaluateFilter(parseFilter(text), lookupIn(row)));
