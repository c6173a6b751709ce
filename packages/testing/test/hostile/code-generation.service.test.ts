/* oxlint-disable vitest/no-conditional-expect, vitest/expect-expect -- of two right ends, each has its own checks; helpers check too */
import {
  createTables,
  defineEntity,
  type EntityClass,
  int32,
  ModelError,
  openStorage,
  TableContext,
  text,
} from "@partita/core";
import { modelOf } from "@partita/core/models";
import { noRetry } from "@partita/core/rest";
import { accountSas } from "@partita/account";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTableServer } from "@partita/server";
import { codeNames, prototypeNames } from "./corpus.ts";
import { answering, expectOwn, failureOf, orTypedError, processState } from "./fake-service.ts";

const names = [...new Set([...codeNames, ...prototypeNames])];
const keys = { partitionKey: { p: text() }, rowKey: { r: text() } } as const;
const key = { p: "p", r: "r" };

let before: unknown;
beforeEach(() => (before = processState()));
afterEach(() => expect(processState()).toEqual(before));

test("there are 200 names", () => {
  expect(names.length).toBeGreaterThanOrEqual(200);
});

const shown = names.map((name) => [JSON.stringify(name).slice(0, 60), name] as const);

/** Properties of one name, `__proto__` included. */
const propertiesOf = <Type>(name: string, type: Type): Record<string, Type> =>
  Object.fromEntries([[name, type]]);

test.each(shown)("a stored property called %s is refused, or is only a name", async (_shown, name) => {
  class Thing extends defineEntity({ table: "Things", ...keys, properties: propertiesOf(name, int32()) }) {}
  const error = await orUndefined(() => modelOf(Thing));
  if (error !== undefined) {
    expect(error).toBeInstanceOf(ModelError);
    expectOwn(error);
    return;
  }

  await roundTrip(Thing, name);
});

test.each(shown)(
  "a property called %s that is stored under another name is only a name",
  async (_shown, name) => {
    class Thing extends defineEntity({
      table: "Things",
      ...keys,
      properties: propertiesOf(name, int32().named("stored")),
    }) {}
    const error = await orUndefined(() => modelOf(Thing));
    if (error !== undefined) {
      expect(error).toBeInstanceOf(ModelError);
      expect([...prototypeNames, "p", "r"]).toContain(name);
      return;
    }

    await roundTrip(Thing, name);
  },
);

test.each(shown)("a key part called %s is refused, or is only a name", async (_shown, name) => {
  const Thing = defineEntity({
    table: "Things",
    partitionKey: { p: text() },
    rowKey: propertiesOf(name, text()),
    properties: { n: int32() },
  });
  await using storage = await openStorage("memory:");
  const result = await orTypedError(async () => {
    await createTables(storage, [Thing]);
    const context = new TableContext(storage);
    const values = Object.fromEntries([
      ["p", "p"],
      [name, "r"],
      ["n", 1],
    ]);
    context.create(Thing, values as never);
    await context.saveChanges();
    return (await new TableContext(storage).query(Thing).scan().toArray()) as Record<string, unknown>[];
  });

  if (result !== undefined) expect(result[0]?.[name]).toBe("r");
});

/** Every path that generated code may serve: creating, comparing, saving and reading again. */
async function roundTrip(Thing: EntityClass, name: string): Promise<void> {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Thing]);
  const context = new TableContext(storage);
  const values = Object.fromEntries([...Object.entries(key), [name, 1]]);
  context.create(Thing, values as never);
  await context.saveChanges();

  // More than once, so that whatever is compiled after some use is compiled.
  for (let n = 2; n < 5; n++) {
    const fresh = new TableContext(storage);
    const found = (await fresh.find(Thing, key as never)) as unknown as Record<string, unknown>;
    expect(found[name]).toBe(n - 1);
    expect(fresh.pendingChanges()).toEqual([]);
    found[name] = n;
    expect(fresh.pendingChanges()).toMatchObject([{ entity: found }]);
    await fresh.saveChanges();
  }
}

async function orUndefined(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return undefined;
}

class Note extends defineEntity({ table: "Notes", ...keys, properties: { n: int32().default(0) } }) {}

test.each(shown)(
  "a row with a property %s, which no class declares, is read and written",
  async (_shown, name) => {
    const bodies: string[] = [];
    const row = `{"odata.etag":"W/\\"1\\"","PartitionKey":"p","RowKey":"r",${JSON.stringify(name)}:7,"n":1}`;
    const storage = await answering((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.method === "GET") return response.writeHead(200).end(`{"value":[${row}]}`);
        bodies.push(Buffer.concat(chunks).toString());
        return response.writeHead(204, { etag: 'W/"2"' }).end();
      });
    });
    const context = new TableContext(storage, { retry: noRetry });

    const [note] = await context.query(Note).scan().toArray();
    if (note === undefined) return expect.unreachable();
    const own = Object.keys(note);
    note.n = 2;
    await orTypedError(() => context.saveChanges({ update: "replace" }));

    expect(own.toSorted()).toEqual(["n", "p", "r"]);
    expect(note).toBeInstanceOf(Note);
    const isDeclared = ["n", "p", "r"].includes(name);
    for (const body of bodies) {
      const sent = JSON.parse(body) as Record<string, unknown>;
      expect(Object.getPrototypeOf(sent)).toBe(Object.prototype);
      // What a replacement keeps, it keeps as what it was.
      if (!isDeclared && Object.hasOwn(sent, name)) expect(sent[name]).toBe(7);
    }
  },
);

test("the server stores names as names, or refuses them", async () => {
  await using server = await startTableServer();
  await using storage = await openStorage(server.connectionString);
  await storage.createTable("Notes");
  const sas = accountSas(
    { accountName: server.account, accountKey: server.key },
    { permissions: "rwdlacu", expiresAt: new Date(Date.now() + 60_000), protocol: "https,http" },
  );

  for (const [i, name] of names.entries()) {
    const body = `{"PartitionKey":"p","RowKey":"${i}",${JSON.stringify(name)}:"x","safe":1}`;
    const reply = await fetch(`${server.url}/Notes?${sas}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", accept: "application/json" },
    });
    expect([name, [201, 400].includes(reply.status)]).toEqual([name, true]);
    if (reply.status !== 201) continue;
    const stored = await storage.get("Notes", { partitionKey: "p", rowKey: String(i) });
    expect(Object.getPrototypeOf(stored)).toBe(Object.prototype);
    expect([name, Object.hasOwn(stored as object, name)]).toEqual([name, true]);
  }
});

test("names in a projection, a filter and an order of equalities are refused by name", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  const notes = new TableContext(storage).query(Note);

  for (const name of names) {
    if (["n", "p", "r"].includes(name)) continue;
    for (const work of [
      () => notes.select(name as never),
      () => notes.select(...([name] as never[])),
      () => notes.where(propertiesOf(name, 1) as never),
      () => notes.where((note) => (note as unknown as Record<string, typeof note.n>)[name]?.eq(1) as never),
    ])
      expectNameError(await failureOf(work));
  }
});

/** The error of a name; it may quote the name, so that only its class and code are looked at. */
function expectNameError(error: unknown): void {
  expect(error).toMatchObject({ code: expect.stringMatching(/^query\./) as string });
}
