/* oxlint-disable vitest/expect-expect -- helpers check */
import { inspect } from "node:util";
import {
  defineEntity,
  int32,
  json,
  type OpenOptions,
  openStorage,
  SaveError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { noRetry } from "@partita/core/rest";
import { openTableService } from "@partita/account";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noLimits, serve, serveBytes, typedError } from "./fake-service.ts";

const secretText = "canary-7f3a9c-secret";
const key = Buffer.from(secretText.repeat(3)).toString("base64");
const sas = `sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=2999-01-01T00%3A00%3A00Z&sig=${encodeURIComponent(Buffer.from(secretText).toString("base64"))}`;
const token = `header.${Buffer.from(secretText).toString("base64url")}.signature`;

/** Every spelling in which a secret of these tests could leak. */
const spellings: readonly string[] = [
  secretText,
  key,
  Buffer.from(secretText).toString("base64"),
  encodeURIComponent(Buffer.from(secretText).toString("base64")),
  Buffer.from(secretText).toString("base64url"),
  Buffer.from(secretText).toString("hex"),
];

/** All that a program may print, log or send of something. */
function everythingOf(value: unknown): string {
  const error = value as Error & { cause?: unknown };
  // The results of a save hold the caller's own entities: an error hands them over, and does not print them.
  const showHidden = !(value instanceof SaveError);
  return [
    inspect(value, { depth: 20, showHidden }),
    inspect(value, { depth: 20, showProxy: true, compact: false }),
    safeJson(value),
    String(value),
    ...(value instanceof Error ? [error.message, String(error.stack), everythingOf(error.cause)] : []),
  ].join("\n");
}

function safeJson(value: unknown): string {
  const seen = new Set<unknown>();
  return String(
    JSON.stringify(value, (_name, member: unknown) => {
      if (typeof member === "bigint") return String(member);
      if (typeof member !== "object" || member === null) return member;
      if (seen.has(member)) return undefined;
      seen.add(member);
      return member;
    }),
  );
}

function expectNoSecret(value: unknown): void {
  const everything = everythingOf(value);
  for (const spelling of spellings) expect(everything).not.toContain(spelling);
}

/** How a service can answer so that something fails. */
const failures: readonly (readonly [name: string, start: () => Promise<number>])[] = [
  ["403", () => serve((_request, response) => response.writeHead(403).end())],
  [
    "403 with another time",
    () => serve((_request, response) => response.writeHead(403, { date: new Date(0).toUTCString() }).end()),
  ],
  ["401", () => serve((_request, response) => response.writeHead(401).end())],
  ["400", () => serve((_request, response) => response.writeHead(400).end("{}"))],
  ["500", () => serve((_request, response) => response.writeHead(500).end("<html>"))],
  [
    "a redirect",
    () =>
      serve((request, response) =>
        response.writeHead(302, { location: `http://127.0.0.1:9${request.url}` }).end(),
      ),
  ],
  ["no JSON", () => serve((_request, response) => response.writeHead(200).end("<html>"))],
  ["a broken connection", () => serve((request) => request.socket.destroy())],
  [
    "half an answer",
    () =>
      serve(
        (_request, response) => (
          response.writeHead(200, { "content-length": "99" }),
          response.write("{", () => response.destroy())
        ),
      ),
  ],
  [
    "an answer too long",
    () => serve((_request, response) => response.writeHead(400).end("x".repeat(100_000))),
  ],
  ["no answer", () => serve(() => undefined)],
  ["no HTTP", () => serveBytes("nonsense\r\n\r\n")],
  [
    "its request's address as a message",
    () =>
      serve((request, response) =>
        response.writeHead(404, { "content-type": "application/json" }).end(
          JSON.stringify({
            "odata.error": { code: "ResourceNotFound", message: { value: `Not found: ${request.url}` } },
          }),
        ),
      ),
  ],
  [
    "its request's headers as a message",
    () =>
      serve((request, response) =>
        response.writeHead(403).end(
          JSON.stringify({
            "odata.error": {
              code: "AuthorizationFailure",
              message: { value: `Refused: ${request.rawHeaders.join(" ")} of ${request.url}` },
            },
          }),
        ),
      ),
  ],
  [
    "its request as XML",
    () =>
      serve((request, response) =>
        response
          .writeHead(400)
          .end(
            `<error><code>InvalidInput</code><message>${(request.url ?? "").replaceAll("&", "&amp;")} ${request.headers.authorization ?? ""}</message></error>`,
          ),
      ),
  ],
  [
    "its request as a body that is no answer",
    () =>
      serve((request, response) =>
        response.writeHead(200).end(`${request.url} ${request.rawHeaders.join(" ")}`),
      ),
  ],
  [
    "its request's address as its id",
    () =>
      serve((request, response) => response.writeHead(400, { "x-ms-request-id": request.url ?? "" }).end()),
  ],
  [
    "what was written",
    () =>
      serve((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => response.writeHead(200).end(Buffer.concat(chunks)));
      }),
  ],
];

/** Storages that hold a secret each. */
const storages: readonly (readonly [
  name: string,
  open: (port: number, limits: Pick<OpenOptions, "timeouts">) => Promise<TableStorage>,
])[] = [
  [
    "a key",
    (port, limits) =>
      openStorage(`AccountName=acct;AccountKey=${key};TableEndpoint=http://127.0.0.1:${port}/acct`, limits),
  ],
  [
    "two keys",
    (port, limits) =>
      openStorage(`http://127.0.0.1:${port}/acct`, {
        ...limits,
        credential: { accountName: "acct", accountKey: "b3RoZXI=", secondAccountKey: key },
        signature: "SharedKey",
      }),
  ],
  [
    "a signature",
    (port, limits) =>
      openStorage(`TableEndpoint=http://127.0.0.1:${port}/acct;SharedAccessSignature=${sas}`, limits),
  ],
  [
    "a signature in its address",
    (port, limits) => openStorage(`http://127.0.0.1:${port}/acct?${sas}`, limits),
  ],
  [
    "a token",
    (port, limits) =>
      openStorage(`http://127.0.0.1:${port}/acct`, {
        ...limits,
        allowInsecure: true,
        credential: { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) },
      }),
  ],
  [
    "a service with a key",
    (port, limits) =>
      openTableService(
        `AccountName=acct;AccountKey=${key};TableEndpoint=http://127.0.0.1:${port}/acct`,
        limits,
      ),
  ],
];

class Patient extends defineEntity({
  table: "Patients",
  partitionKey: { ward: text() },
  rowKey: { id: text() },
  properties: { name: text().optional(), age: int32().optional(), notes: json<unknown>().optional() },
}) {}

describe.each(storages)("with %s", (_name, open) => {
  test.each(failures)("no error after %s has a secret or a value", async (failure, start) => {
    // A limit only where there is nothing else to end a request.
    const timeouts = failure === "no answer" ? { readMs: 100, writeMs: 100 } : noLimits;
    await using storage = await open(await start(), { timeouts });
    const context = new TableContext(storage, { retry: noRetry });
    context.create(Patient, { ward: "w", id: "1", name: secretText, notes: { hidden: secretText } });
    const entity = { PartitionKey: "w", RowKey: "1", name: secretText };

    const errors = await Promise.all(
      [
        () =>
          storage.query("Patients", {
            filter: { op: "eq", name: "name", literal: { edm: "Edm.String", value: "x" } },
          }),
        () => storage.write("Patients", { type: "insert", entity }),
        () => storage.transact("Patients", [{ type: "insert", entity }]),
        () => storage.listTables(),
        () => context.saveChanges(),
      ].map((work) =>
        Promise.resolve(work()).then(
          () => undefined,
          (error: unknown) => error,
        ),
      ),
    );

    for (const error of errors) {
      if (error === undefined) continue;
      expectNoSecret(error);
    }
    expectNoSecret(storage);
    expectNoSecret(storage.description);
    context.clear({ discard: true });
    expectNoSecret(context);
  });
});

let memory: TableStorage;
beforeAll(async () => {
  memory = await openStorage("memory:");
  await memory.createTable("Patients");
  await memory.write("Patients", {
    type: "insert",
    entity: { PartitionKey: "w", RowKey: "wrong", name: 7, age: secretText, notes: `{"${secretText}` },
  });
});
afterAll(() => memory.close());

test.each<[name: string, work: () => unknown]>([
  ["a text for a number", () => save({ age: secretText })],
  ["an object for a text", () => save({ name: { secretText } })],
  ["a text that is too long", () => save({ name: secretText.repeat(5000) })],
  ["a text that is no text", () => save({ name: `${secretText}\ud800` })],
  ["a number that is too large", () => save({ age: 1e300 })],
  [
    "a JSON that goes round",
    () => save({ notes: Object.assign([] as unknown[], { 0: null, secretText }, [() => secretText]) }),
  ],
  ["a JSON with a bigint", () => save({ notes: { secretText, big: 1n } })],
  [
    "a JSON whose toJSON throws",
    () =>
      save({
        notes: {
          toJSON: () => {
            throw new TypeError("no JSON");
          },
        },
      }),
  ],
  [
    "a stored value of another type",
    () => new TableContext(memory).find(Patient, { ward: "w", id: "wrong" }),
  ],
  [
    "a stored JSON that is none",
    () => new TableContext(memory).query(Patient).select("notes").where({ ward: "w" }).toArray(),
  ],
  [
    "a comparison with another type",
    () =>
      new TableContext(memory)
        .query(Patient)
        .where((p) => p.age.eq(secretText as never))
        .scan()
        .toArray(),
  ],
  [
    "an equality with another type",
    () =>
      new TableContext(memory)
        .query(Patient)
        .where({ ward: [secretText] as never })
        .toArray(),
  ],
  ["a row that is there", () => saveTwice({ name: secretText })],
])("no error of %s has the value", async (_name, work) => {
  const error = await typedError(work);

  expectNoSecret(error);
});

async function save(values: Record<string, unknown>): Promise<void> {
  const context = new TableContext(memory);
  context.create(Patient, { ward: "w", id: "1", ...values } as never);
  await context.saveChanges();
}

async function saveTwice(values: Record<string, unknown>): Promise<void> {
  for (let i = 0; i < 2; i++) {
    const context = new TableContext(memory, { retry: noRetry });
    context.create(Patient, { ward: "w", id: "twice", ...values } as never);
    await context.saveChanges();
  }
}
