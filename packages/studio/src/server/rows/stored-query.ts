import type { EntityClass, Explanation, TableStorage } from "@partita/core";
import type { FilterNode } from "@partita/core/storage";
import type { StudioCore } from "../core.ts";
import { parseQuery } from "./parse-query.ts";
import { predicateOf, type ClassCondition } from "./class-conditions.ts";

/**
 * Plans a query by stored names like one of a class with text keys: conditions on keys are ranges, and the
 * rest is a filter. Nothing is sent.
 */
export function planStoredQuery(core: StudioCore, storage: TableStorage, text: string): Explanation {
  const context = new core.TableContext(storage);
  const all = context.query(storedRows(core) as EntityClass<object>);
  const node = parseQuery(core, text);
  if (node === undefined) return all.scan().explain();
  const parts = node.op === "and" ? node.nodes : [node];
  let query = all;
  for (const part of parts) {
    const condition = keyCondition(part);
    if (condition === undefined) {
      const source = core.printFilter(part);
      query = query.filter(core.odata(Object.assign([source], { raw: [source] })));
    } else query = query.where((columns) => predicateOf(columns, condition));
  }
  return query.explain();
}

/** A condition on keys only. Undefined for others. */
function keyCondition(node: FilterNode): ClassCondition | undefined {
  switch (node.op) {
    case "and":
    case "or": {
      const of = node.nodes.map(keyCondition);
      return of.includes(undefined) ? undefined : { op: node.op, of: of as ClassCondition[] };
    }
    case "not":
    case "constant":
      return undefined;
    default: {
      const { op, name, literal } = node;
      const isKey = name === "PartitionKey" || name === "RowKey";
      return isKey && typeof literal.value === "string" ? { op, name, value: literal.value } : undefined;
    }
  }
}

/** The table name in plans of such queries. */
export const plannedTable = "StoredRows";

const classes = new WeakMap<StudioCore, EntityClass>();

/** A class for rows with unknown properties. Only the keys are declared. */
function storedRows(core: StudioCore): EntityClass {
  const known = classes.get(core);
  if (known !== undefined) return known;
  const made = core.defineEntity({
    table: plannedTable,
    partitionKey: { PartitionKey: core.verbatim },
    rowKey: { RowKey: core.verbatim },
    properties: {},
  });
  classes.set(core, made);
  return made;
}
