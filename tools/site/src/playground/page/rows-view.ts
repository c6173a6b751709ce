import { h, type VNode } from "vue";
import type { RowUse, ShownRow } from "../program.ts";
import { counted } from "./plan-view.ts";

const uses: Readonly<Record<RowUse, string>> = {
  returned: "returned",
  read: "read only",
  unread: "",
};

/** The stored rows in key order, partition by partition, with their use by the query. */
export function rowsView(rows: readonly ShownRow[]): VNode {
  const partitions = Map.groupBy(rows, ({ table, partitionKey }) => JSON.stringify([table, partitionKey]));
  return h("section", { class: "rows" }, [
    h("h2", { id: "stored-rows" }, [
      "Stored rows",
      h(
        "small",
        `${counted(rows.length, "row")} in ${counted(partitions.size, "partition")}, as the table sorts them`,
      ),
    ]),
    rows.length === 0
      ? h("p", { class: "summary" }, "Add sample rows to see their keys.")
      : h("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "stored-rows" }, [
          h("table", [
            h(
              "thead",
              h(
                "tr",
                ["RowKey", "Query", "Properties", "Class"].map((name) => h("th", { scope: "col" }, name)),
              ),
            ),
            ...Array.from(partitions.values(), partitionView),
          ]),
        ]),
  ]);
}

const partitionView = (rows: readonly ShownRow[]): VNode => {
  const [{ table, partitionKey }] = rows as readonly [ShownRow, ...ShownRow[]];
  return h("tbody", [
    h(
      "tr",
      h("th", { scope: "rowgroup", colspan: 4 }, [`${table} · `, key(partitionKey), h("small", useOf(rows))]),
    ),
    ...rows.map(({ rowKey, use, values, of }) =>
      h("tr", { class: use }, [
        h("td", key(rowKey)),
        h("td", uses[use]),
        h("td", { class: "values" }, values),
        h("td", of),
      ]),
    ),
  ]);
};

/** How much of a partition the query reads. */
function useOf(rows: readonly ShownRow[]): string {
  const read = rows.filter(({ use }) => use !== "unread").length;
  return read === 0 ? counted(rows.length, "row") : `${read} of ${counted(rows.length, "row")} read`;
}

const key = (text: string): VNode => h("code", text === "" ? "(empty)" : text);
