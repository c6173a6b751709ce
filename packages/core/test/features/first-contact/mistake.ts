import { compileFunction } from "node:vm";
import * as core from "../../../src/index.ts";
import * as keys from "../../../src/keys.ts";
import * as models from "../../../src/models.ts";

/**
 * What a beginner gets for a mistake: an error that names the cause and the remedy (`great`), one that names the cause
 * (`ok`), a program that works (`works`), or nothing (`silent`). A misleading error is not among them.
 */
export type Outcome = "great" | "ok" | "works" | "silent";

/** A small program with a mistake, as a beginner writes it in JavaScript, and what it gives. */
export interface Mistake {
  readonly title: string;
  /** Uses the exports of core, and the names of the world. */
  readonly program: string;
  readonly gives: Outcome;
  /** The code of the error; absent for errors of JavaScript itself. */
  readonly code?: string;
  readonly says?: RegExp;
}

export const great = (title: string, program: string, code: string, says: RegExp): Mistake => ({
  title,
  program,
  gives: "great",
  code,
  says,
});
/** An error of JavaScript, which names the program's own expression. */
export const ok = (title: string, program: string, says: RegExp): Mistake => ({
  title,
  program,
  gives: "ok",
  says,
});
export const works = (title: string, program: string): Mistake => ({ title, program, gives: "works" });
export const silent = (title: string, program: string): Mistake => ({ title, program, gives: "silent" });

const { binary, bool, createTables, dateTime, defineEntity, defineKind, enumOf, int32, int64, json } = core;
const { openStorage, owned, TableContext, text } = core;
const { newestFirst, padded } = keys;

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: {
    title: text(),
    rating: int32().default(0),
    isOpen: bool().default(true),
    note: text().optional(),
    views: int64().optional(),
    picture: binary().optional(),
    tags: json<unknown>().optional(),
    state: enumOf(["draft", "done"]).default("draft"),
    editedOn: dateTime().optional(),
  },
}) {}
class Line extends defineEntity({
  table: "Orders",
  kind: "Line",
  partitionKey: { shop: text() },
  rowKey: { id: text(), no: padded(3) },
  properties: { sku: text() },
}) {}
class Order extends defineEntity({
  table: "Orders",
  kind: "Order",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: {},
  children: { lines: owned(() => Line) },
}) {}
class Entry extends defineEntity({
  table: "Log",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: {},
}) {}
class Login extends defineKind(Entry, { kind: "Login" }) {}
class Logout extends defineKind(Entry, { kind: "Logout" }) {}
const classes = { Blog, Line, Order, Entry, Login, Logout };

/** The key of a stored blog. */
const key = { channel: "tech", postedOn: new Date("2026-01-02T00:00:00Z") };
/** The values of a new one. */
const values = { channel: "tech", postedOn: new Date("2026-01-03T00:00:00Z"), title: "Second" };

/** Runs a program over a store with one blog, and one order with a line. */
export async function run({ program }: Mistake): Promise<unknown> {
  await using storage = await openStorage("memory:");
  await createTables(storage, Object.values(classes));
  const seed = new TableContext(storage);
  seed.create(Blog, { ...key, title: "First" });
  seed.create(Order, { shop: "a", id: "1", lines: [{ no: 1, sku: "s" }] });
  await seed.saveChanges();
  const context = new TableContext(storage);
  const world = { ...core, ...keys, ...models, ...classes, storage, context, key, values };
  const start = compileFunction(`return (async () => {\n${program}\n})();`, Object.keys(world)) as (
    ...all: unknown[]
  ) => Promise<unknown>;
  try {
    return await start(...Object.values(world));
  } finally {
    context.clear({ discard: true });
  }
}
