import type { TableStorage } from "@partita/core";
import type { ContinuationToken, FilterNode } from "@partita/core/storage";
import { assumes, type Finding, type Probe, reports } from "./probe.ts";

// The embedded store and the table server look ahead: a page that ends with the last row has no token, and a
// token contains the key of the next row.

const inPartition = (value: string): FilterNode => ({
  op: "eq",
  name: "PartitionKey",
  literal: { edm: "Edm.String", value },
});
const rowKeys = Array.from({ length: 10 }, (_, i) => `r${i}`);

export const continuation: Probe = {
  name: "continuation tokens",
  async measure({ storage, table, isCosmos }) {
    for (const partition of ["a", "b"])
      for (const RowKey of rowKeys) await insert(storage, table, partition, RowKey);
    const sizes = (top: number, filter?: FilterNode): Promise<number[]> =>
      sizesOfPages(storage, table, top, filter);
    const findings = [
      assumes("20 rows of a table by 10", await sizes(10), [10, 10]),
      assumes("10 rows of a partition by 5, others follow", await sizes(5, inPartition("a")), [5, 5]),
      assumes("10 rows of the last partition by 5", await sizes(5, inPartition("b")), [5, 5]),
      assumes("10 rows of a partition by 3", await sizes(3, inPartition("a")), [3, 3, 3, 1]),
      reports("5 rows that a filter finds, by 5, others follow", await sizes(5, firstHalf)),
    ];
    // Without an order, there is no next row.
    return isCosmos ? findings : [...findings, ...(await betweenPages(storage, table))];
  },
};

const firstHalf: FilterNode = {
  op: "and",
  nodes: [inPartition("a"), { op: "eq", name: "Half", literal: { edm: "Edm.Int32", value: 0 } }],
};

/** The effect of changes between two pages. */
async function betweenPages(storage: TableStorage, table: string): Promise<readonly Finding[]> {
  const page = async (after?: ContinuationToken) =>
    storage.query(table, { top: 3, filter: inPartition("a"), ...(after !== undefined && { after }) });
  const { next } = await page();
  await insert(storage, table, "a", "r25");
  const inserted = (await page(next)).entities.map(({ RowKey }) => RowKey);
  await storage.write(table, { type: "delete", key: { partitionKey: "a", rowKey: "r3" }, etag: "*" });
  const removed = (await page(next)).entities.map(({ RowKey }) => RowKey);
  return [
    assumes("a row inserted before the row in the token is not in the next page", inserted, [
      "r3",
      "r4",
      "r5",
    ]),
    assumes("without the row in the token, the next page starts after it", removed, ["r4", "r5", "r6"]),
  ];
}

const insert = (
  storage: TableStorage,
  table: string,
  PartitionKey: string,
  RowKey: string,
): Promise<unknown> =>
  storage.write(table, { type: "insert", entity: { PartitionKey, RowKey, Half: RowKey < "r5" ? 0 : 1 } });

async function sizesOfPages(
  storage: TableStorage,
  table: string,
  top: number,
  filter: FilterNode | undefined,
): Promise<number[]> {
  const sizes: number[] = [];
  let after: ContinuationToken | undefined;
  do {
    const query = { top, ...(filter && { filter }), ...(after !== undefined && { after }) };
    const page = await storage.query(table, query);
    sizes.push(page.entities.length);
    after = page.next;
  } while (after !== undefined && sizes.length < 100);
  return sizes;
}
