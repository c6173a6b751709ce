/* oxlint-disable vitest/no-conditional-expect, vitest/expect-expect -- of two right ends, each has its own checks; helpers check too */
import {
  binary,
  bool,
  dateTime,
  defineEntity,
  double,
  type EntityClass,
  guid,
  int32,
  int64,
  json,
  TableContext,
  text,
  Ticks,
} from "@partita/core";
import type { AnyPropertyType } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";
import { noRetry } from "@partita/core/rest";
import { describe, expect, test } from "vitest";
import { prototypeNames } from "./corpus.ts";
import { answering, answeringJson, expectTyped, processState, typedError } from "./fake-service.ts";

const keys = { partitionKey: { p: text() }, rowKey: { r: text() } } as const;
const key = { p: "p", r: "r" };

/** One class for each type of a property, and what a value of it certainly is. */
const classes: readonly (readonly [
  edm: string,
  entity: EntityClass,
  isValue: (value: unknown) => boolean,
])[] = [
  ["Edm.String", entityOf(text()), (value) => typeof value === "string"],
  ["Edm.String", entityOf(json()), () => true],
  ["Edm.Int32", entityOf(int32()), (value) => Number.isInteger(value)],
  [
    "Edm.Int64",
    entityOf(int64()),
    (value) => typeof value === "bigint" && BigInt.asIntN(64, value) === value,
  ],
  ["Edm.Double", entityOf(double()), (value) => typeof value === "number"],
  ["Edm.Boolean", entityOf(bool()), (value) => typeof value === "boolean"],
  ["Edm.DateTime", entityOf(dateTime()), (value) => value instanceof Date && !Number.isNaN(value.getTime())],
  ["Edm.DateTime", entityOf(dateTime({ ticks: true })), (value) => value instanceof Ticks],
  ["Edm.Guid", entityOf(guid()), (value) => typeof value === "string" && /^[0-9a-f-]{36}$/.test(value)],
  ["Edm.Binary", entityOf(binary()), (value) => value instanceof Uint8Array],
];

function entityOf(v: AnyPropertyType): EntityClass {
  return defineEntity({ table: "Things", ...keys, properties: { v } });
}

/** The ways to read, in turn: each value meets them all in some class. */
const readers = [
  async (context: TableContext, entity: EntityClass): Promise<unknown> => context.find(entity, key as never),
  async (context: TableContext, entity: EntityClass): Promise<unknown> =>
    context.query(entity).scan().first(),
  async (context: TableContext, entity: EntityClass): Promise<unknown> =>
    context.query(entity).mergeOption("noTracking").scan().first(),
];

const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const deepObject = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;

/** Every kind of JSON, and texts that look like values of each type. */
const jsonKinds: readonly string[] = [
  "null",
  "true",
  "0",
  "-0",
  "1.5",
  "1e400",
  "4294967296",
  '""',
  '"text"',
  '"9223372036854775808"',
  '"12 or 1"',
  '"2020-13-45T99:99:99Z"',
  '"0000-00-00T00:00:00Z"',
  '"NaN"',
  '"4185404a-5818-48c3-b9be-f217df0dba6z"',
  '"====",',
  "{}",
  '{"toString":1,"valueOf":1}',
  '{"then":1}',
  '{"__proto__":{"polluted":1}}',
  "[]",
  '["text"]',
  "[[1]]",
  deep,
  deepObject,
  `"${"9".repeat(100_000)}"`,
].map((kind) => kind.replace(/,$/, ""));

/** What a value may say its type is. */
const annotations: readonly (string | undefined)[] = [
  undefined,
  ...[
    "Edm.String",
    "Edm.Int32",
    "Edm.Int64",
    "Edm.Double",
    "Edm.Boolean",
    "Edm.DateTime",
    "Edm.Guid",
    "Edm.Binary",
    "Edm.Evil",
    "",
    "__proto__",
    "edm.string",
    "canary\r\n\u001b[31mcanary",
  ].map((annotation) => JSON.stringify(annotation)),
  "1",
  "true",
  "{}",
  '{"toString":1}',
  "[]",
];

describe.each(annotations.map((annotation) => [annotation ?? "nothing", annotation] as const))(
  "reported with %s",
  (_shown, annotation) => {
    test.each(jsonKinds.map((kind, i) => [kind.slice(0, 30), kind, i] as const))(
      "%s is of its type, or refused",
      async (_kind, value, turn) => {
        const before = processState();
        const reported = annotation === undefined ? "" : `"v@odata.type":${annotation},`;
        const row = `{"odata.etag":"W/\\"1\\"","PartitionKey":"p","RowKey":"r",${reported}"v":${value}}`;
        const storage = await answering((request, response) => {
          const isPoint = request.url?.includes("RowKey='r'") === true;
          response.writeHead(200, { "content-type": "application/json" });
          response.end(isPoint ? row : `{"value":[${row}]}`);
        });

        for (const [i, [edm, entity, isValue]] of classes.entries()) {
          const read = readers[(turn + i) % readers.length] as (typeof readers)[0];
          const context = new TableContext(storage, { retry: noRetry });
          const found = await read(context, entity).catch((error: unknown) => {
            expectTyped(error);
            expect((error as Error).message).not.toContain("canary");
          });
          const v = (found as { v?: unknown } | undefined)?.v;
          if (v === undefined) continue;
          expect(isValue(v)).toBe(true);
          // JavaScript clients store whole numbers as Int32, which wider numbers read.
          const isWider = annotation === '"Edm.Int32"' && (edm === "Edm.Int64" || edm === "Edm.Double");
          if (annotation !== undefined && !isWider) expect(annotation).toBe(JSON.stringify(edm));
        }
        expect(processState()).toEqual(before);
      },
    );
  },
);

class Thing extends defineEntity({
  table: "Things",
  ...keys,
  properties: { v: text().optional(), n: int32().default(0) },
}) {
  greet(): string {
    return `hello ${this.r}`;
  }
}

describe.each(prototypeNames)("a property %s on the wire", (name) => {
  test.each(['"text"', "true", "7", "7.0", "null", '{"polluted":1}', "[]"])(
    "with %s changes no object",
    async (value) => {
      const before = processState();
      const sent: string[] = [];
      const row = `{"odata.etag":"W/\\"1\\"","PartitionKey":"p","RowKey":"r","v":"x","${name}":${value},"${name}@odata.type":"Edm.String"}`;
      const storage = await answering((request, response) => {
        const isRead = request.method === "GET";
        const isPoint = request.url?.includes("RowKey='r'") === true;
        if (!isRead) request.on("data", (chunk: Buffer) => sent.push(chunk.toString()));
        request.on("end", () =>
          isRead
            ? response.writeHead(200).end(isPoint ? row : `{"value":[${row}]}`)
            : response.writeHead(204, { etag: 'W/"2"' }).end(),
        );
        request.resume();
      });
      const context = new TableContext(storage, { retry: noRetry });

      const isPlain = !/^[{[]/.test(value);
      if (!isPlain) {
        // No entity of the service has a value like that, and one that came along would go back with the row.
        expect(await typedError(() => context.find(Thing, key))).toMatchObject({ code: "edm.malformed" });
        expect(processState()).toEqual(before);
        return;
      }

      const thing = (await context.find(Thing, key)) as Thing;
      const stored = (await storage.get("Things", { partitionKey: "p", rowKey: "r" })) as StoredEntity;

      expect(thing.greet()).toBe("hello r");
      expect(Object.getPrototypeOf(thing)).toBe(Thing.prototype);
      expect(Object.getPrototypeOf(stored)).toBe(Object.prototype);
      expect(Object.hasOwn(thing, name)).toBe(false);
      thing.n = 8;
      await context.saveChanges();
      // A merge sends what was changed and nothing that came along.
      expect(JSON.parse(sent.join(""))).toEqual({ PartitionKey: "p", RowKey: "r", n: 8 });
      expect(processState()).toEqual(before);
    },
  );
});

/** Answers that are no page, no entity and no list of tables. */
const badResponses: readonly string[] = [
  "",
  " ",
  "null",
  "true",
  "7",
  '"value"',
  "[]",
  "[[]]",
  "{",
  "{]",
  '{"value"',
  '{"value":null}',
  '{"value":{}}',
  '{"value":{"length":1,"0":{}}}',
  '{"value":7}',
  '{"value":"PartitionKey"}',
  '{"value":[null]}',
  '{"value":[7]}',
  '{"value":["x"]}',
  '{"value":[[]]}',
  '{"value":[{}]}',
  '{"value":[{"PartitionKey":"p"}]}',
  '{"value":[{"PartitionKey":7,"RowKey":"r"}]}',
  '{"value":[{"PartitionKey":{"toString":1},"RowKey":"r"}]}',
  '{"value":[{"PartitionKey":["p"],"RowKey":["r"]}]}',
  '{"value":[{"PartitionKey":"p","RowKey":"r"},null]}',
  '{"value":[{"__proto__":{"PartitionKey":"p","RowKey":"r"}}]}',
  '{"value":[{"TableName":7}]}',
  '{"value":[{"TableName":{"toString":1}}]}',
  '{"value":[{"TableName":null}]}',
  '{"__proto__":{"value":[]}}',
  '{"__proto__":{"PartitionKey":"p","RowKey":"r"}}',
  '{"RowKey":"r"}',
  '{"PartitionKey":"p"}',
  '{"PartitionKey":null,"RowKey":null}',
  '{"PartitionKey":7,"RowKey":"r"}',
  '{"PartitionKey":"p","RowKey":{"toString":1}}',
  '{"PartitionKey":["p"],"RowKey":"r"}',
  '{"PartitionKey":{"length":1},"RowKey":true}',
  "PartitionKey",
  "<feed/>",
  "\u0000",
  "\ufeff",
  '{"value":[]}{"value":[]}',
  "NaN",
  "undefined",
  "new Date()",
  "[".repeat(200_000),
  `{"value":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
  `${'{"PartitionKey":'.repeat(50_000)}1${"}".repeat(50_000)}`,
];

test.each(badResponses.map((body) => [JSON.stringify(body).slice(0, 60), body]))(
  "an answer of %s is malformed, however it is asked for",
  async (_shown, body) => {
    const storage = await answeringJson(body);
    const context = new TableContext(storage, { retry: noRetry });

    for (const work of [
      () => storage.query("Things", {}),
      () => storage.query("Things", { select: ["v"] }),
      () => storage.get("Things", { partitionKey: "p", rowKey: "r" }),
      () => storage.listTables(),
      () => context.find(Thing, key),
      () => context.query(Thing).scan().toArray(),
    ])
      expect(await typedError(work)).toMatchObject({ code: "storage.malformed-response", applied: "no" });
  },
);

describe.each([
  "7",
  "true",
  "{}",
  "[]",
  '["*"]',
  '{"toString":1}',
  '"\\r\\nX-Evil: 1"',
  '"\\ud800"',
  `"${"e".repeat(100_000)}"`,
])("a system value of %s", (value) => {
  test.each([
    "odata.etag",
    "Timestamp",
    "odata.type",
    "odata.editLink",
    "Timestamp@odata.type",
    "PartitionKey@odata.type",
  ])("as %s ends in a typed error, or changes nothing", async (name) => {
    let evil = 0;
    const storage = await answering((request, response) => {
      if (request.headers["x-evil"] !== undefined) evil++;
      if (request.method !== "GET") return response.writeHead(204, { etag: 'W/"2"' }).end();
      return response.writeHead(200).end(`{"PartitionKey":"p","RowKey":"r","v":"x","${name}":${value}}`);
    });
    class Stamped extends defineEntity({
      table: "Things",
      ...keys,
      properties: { v: text() },
      etagProperty: "version",
      timestampProperty: "changedAt",
    }) {}
    const context = new TableContext(storage, { retry: noRetry });

    try {
      const found = await context.find(Stamped, key);
      if (found !== undefined) {
        expect(["string", "undefined"]).toContain(typeof found.version);
        if (found.changedAt !== undefined) expect(found.changedAt).toBeInstanceOf(Date);
        found.v = "y";
        await context.saveChanges();
      }
    } catch (error) {
      expectTyped(error);
    }
    expect(evil).toBe(0);
  });
});

test.each([
  '{"toString":1}',
  "{}",
  "[]",
  "7",
  "true",
  '"__proto__"',
  '"constructor"',
  '"Thing"',
  '"canary\\u001b[31m"',
])("a kind of %s is no class's", async (kind) => {
  class Base extends defineEntity({ table: "Things", ...keys, properties: {}, kind: "Known" }) {}
  const storage = await answeringJson(
    `{"PartitionKey":"p","RowKey":"r","odata.etag":"W/\\"1\\"","Kind":${kind}}`,
  );

  const error = await typedError(() => new TableContext(storage, { retry: noRetry }).find(Base, key));
  expect(error.name).toBe("KindError");
});

test.each<[name: string, json: string]>([
  ["a list of 200,000 lists", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
  ["an object in 100,000 objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
])("%s, which no class declares, is not carried into a write", async (_name, nested) => {
  const storage = await answering((request, response) => {
    request.resume();
    if (request.method !== "GET") return response.writeHead(204, { etag: 'W/"2"' }).end();
    return response
      .writeHead(200)
      .end(`{"odata.etag":"W/\\"1\\"","PartitionKey":"p","RowKey":"r","other":${nested}}`);
  });
  const context = new TableContext(storage, { retry: noRetry });

  try {
    const thing = (await context.find(Thing, key)) as Thing;
    thing.n = 5;
    await context.saveChanges({ update: "replace" });
  } catch (error) {
    expectTyped(error);
  }
});
