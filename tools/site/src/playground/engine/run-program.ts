// The worker calls `runProgram`. It evaluates the model, stores the sample rows, plans the query, and runs it over
// those rows. A problem in one field leaves the results of the others.

import {
  type Explanation,
  isQuery,
  type Query,
  queryOverRows,
  type StoredEntity,
} from "@partita/core/internal/planner";
import type { EntityClass } from "@partita/core/models";
import type { Field, Outcome, Problem, Program, RowUse, ShownPlan, ShownRow } from "../program.ts";
import { evaluateField, evaluateModel } from "./evaluate.ts";
import { MemoryRows } from "./memory-rows.ts";
import { problemOf } from "./problem.ts";
import { type Origins, storeRows } from "./sample-rows.ts";

export async function runProgram({ model, query, rows }: Program): Promise<Outcome> {
  const problems: Problem[] = [];
  const report = (field: Field, error: unknown): void => {
    const problem = problemOf(field, error);
    if (!problems.some(({ message }) => message === problem.message)) problems.push(problem);
  };
  const tryField = <Result>(field: Field, work: () => Result): Result | undefined => {
    try {
      return work();
    } catch (error) {
      report(field, error);
      return undefined;
    }
  };
  const stored = new MemoryRows();
  const built = new Map<object, StoredEntity>();
  const context = contextOver(stored, (entity, row) => built.set(entity, row));
  const scope = tryField("model", () => evaluateModel(model, context));
  if (scope === undefined) return { problems, rows: [] };
  const origins: Origins = new Map();
  tryField("rows", () => storeRows(scope, rows, stored, origins));
  const asked = tryField("query", () => checkedQuery(evaluateField(scope, "query", query)));
  const plan = asked && tryField("query", () => shownPlan(asked.explain()));
  const shown = (keys: ReadonlySet<string>): ShownRow[] => shownRows(stored, origins, keys);
  if (asked === undefined || plan === undefined) return { problems, rows: shown(new Set()) };
  try {
    stored.resetCounts();
    const found = await asked.toArray();
    const rowsFound = found.flatMap(withChildren).flatMap((entity) => built.get(entity) ?? []);
    const cost = { requests: stored.requests, read: stored.read.size, returned: found.length };
    return { problems, plan, rows: shown(new Set(rowsFound.map(keyText))), cost };
  } catch (error) {
    report("query", error);
    return { problems, plan, rows: shown(new Set()) };
  }
}

/** The context of a program: it makes queries over the sample rows. */
function contextOver(
  stored: MemoryRows,
  onEntity: (entity: object, row: StoredEntity) => void,
): { query(classes: EntityClass | readonly EntityClass[]): Query<object> } {
  const refuse = (what: string): never => {
    throw new Error(`The playground plans and reads queries: ${what} is not available here.`);
  };
  const context = {
    query: (classes: EntityClass | readonly EntityClass[]) =>
      queryOverRows([classes].flat(), stored.port, { onEntity, notWritten: () => refuse("writing") }),
  };
  return new Proxy(context, {
    get: (_target, name) => (name === "query" ? context.query : refuse(`context.${String(name)}`)),
  });
}

/** @throws Error for anything but a query */
function checkedQuery(value: unknown): Query<object> {
  if (isQuery(value)) return value;
  if (!(value instanceof Promise)) throw new Error("End with a query, such as context.query(Post).take(10).");
  value.catch(() => undefined);
  throw new Error(
    "The playground runs the query itself. End with the query, without toArray() or another method that reads.",
  );
}

/** Requests that the page shows: a plan may have 10,000. */
const maxRequests = 100;

/** Characters of a value that the page shows. */
const maxCharacters = 100;

const shownPlan = (plan: Explanation): ShownPlan => ({
  type: plan.type,
  rating: plan.rating,
  partitions: plan.partitions,
  requestCount: plan.requests.length,
  requests: plan.requests
    .slice(0, maxRequests)
    .map(({ type, keys, filter, client }) => ({ type, keys, filter, client })),
  index: plan.index,
  advice: adviceOf(plan),
  line: String(plan),
});

function adviceOf({ rating, missing, alternatives, unused }: Explanation): string[] {
  const names = missing.join(", ");
  const isScan = rating === "worst" && missing.length > 0;
  return [
    ...(isScan ? [`A condition on ${names} would turn the scan into a key range.`] : []),
    ...alternatives.map((name) => `Over the index ${name}, it would cost less: .via("${name}").`),
    ...unused.map(({ index, reason }) => `The index ${index} ${reason}.`),
  ];
}

function shownRows(stored: MemoryRows, origins: Origins, returned: ReadonlySet<string>): ShownRow[] {
  const useOf = (row: StoredEntity, own: StoredEntity): RowUse => {
    if (!stored.read.has(row)) return "unread";
    return returned.has(keyText(own)) ? "returned" : "read";
  };
  return Array.from(stored.all(), ([table, row]) => {
    const { PartitionKey, RowKey, ...properties } = row;
    const { of = "", own = row } = origins.get(row) ?? {};
    const values = Object.entries(properties)
      .filter(([name]) => !name.includes("@odata."))
      .map(([name, value]) => `${name}: ${shortened(JSON.stringify(value))}`);
    return {
      table,
      partitionKey: PartitionKey,
      rowKey: RowKey,
      of,
      values: values.join(", "),
      use: useOf(row, own),
    };
  });
}

const shortened = (text: string): string =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters)} …` : text;

const keyText = ({ PartitionKey, RowKey }: StoredEntity): string => JSON.stringify([PartitionKey, RowKey]);

/** An entity, and the children that `include` loaded. */
const withChildren = (entity: object): object[] => [
  entity,
  ...Object.values(entity)
    .filter((value) => Array.isArray(value))
    .flat()
    .filter((child) => typeof child === "object" && child !== null)
    .flatMap(withChildren),
];
