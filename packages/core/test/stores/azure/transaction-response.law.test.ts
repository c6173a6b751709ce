import { isDeepStrictEqual } from "node:util";
import { isLong } from "@partita/test-support/effort";
import { mutations } from "@partita/test-support/mutations";
import { expect, test } from "vitest";
import { readTransactionResponse } from "../../../src/stores/azure/wire/transaction-response.ts";
import { mayBeApplied, readFault } from "../../../src/stores/azure/http/service-error.ts";
import { StorageError } from "../../../src/index.ts";

// Long form: 500,000 answers.
const runs = isLong ? 500_000 : 20_000;

const stored = (etag = "ETag: W/\"datetime'2026-11-21T00%3A52%3A49.6565681Z'\""): string =>
  `--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 204 No Content\r\nDataServiceVersion: 3.0;\r\nLocation: https://a/T(PartitionKey='p',RowKey='r')\r\n${etag}\r\n\r\n\r\n`;
const reply = (...parts: readonly string[]): string =>
  `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts.join("")}--c--\r\n--b--\r\n`;
const refused =
  '--c\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\n\r\n{"odata.error":{"code":"EntityAlreadyExists","message":{"value":"1:Schlüssel exists.\\nRequestId:x"}}}\r\n';

const seeds = [
  reply(stored(), stored()),
  reply(stored("etag:a"), stored("ETAG:\t b \t")),
  reply(stored("X: 1"), stored('ETag: W/"ü€"')),
  reply(stored("ETag:"), stored("ETag:  \r\netag: second")),
  reply(stored(), stored()).replaceAll("\r\n", "\n"),
  "--b\r\n\r\n--c\r\n\r\nHTTP/1.1 204\r\n\r\n--c\r\n\r\nHTTP/1.1 204 \r\n\r\n\r\n--c--\r\n--b--",
  ` \r\n${reply(stored(), stored())}${" ".repeat(300)}`,
  reply(stored(), stored()).replaceAll("--b", `--${"b".repeat(300)}`),
  reply(refused),
  reply(stored(), refused),
  reply("--c\r\n\r\nHTTP/1.1 500 Broken\r\n\r\n<error><code>InternalError</code></error>\r\n"),
];
const tokens = [
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  "\n\n",
  " ",
  "\t",
  "--",
  "\n--",
  "--c",
  "--c--",
  "--b--",
  "HTTP/1.1 ",
  "\nHTTP/1.1 204 No Content\r\n",
  "\u2028HTTP/1.1 204 No Content\n",
  "204",
  "102",
  "500",
  "ETag: ",
  "\netag: x",
  "\retag: y\r",
  "\u2028ETag: z\u2029",
  "\u00a0",
  "\ufeff",
  "\u0000",
  "😀",
  "ſ",
];

interface Found {
  readonly results?: unknown;
  readonly error?: unknown;
}

/** What is read, or what the error says. */
async function outcome(read: () => Promise<unknown>): Promise<Found> {
  try {
    return { results: await read() };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const { code, message, applied, status, serviceCode, index, requestId } = error;
    return { error: { code, message, applied, status, serviceCode, index, requestId } };
  }
}

test("answers that were changed or cut are read as regular expressions over their text read them", async () => {
  const inputs = mutations({ seed: 16, seeds, tokens });
  const counts = { stored: 0, refused: 0, malformed: 0 };
  const different: string[] = [];
  for (let i = 0; i < runs; i++) {
    const text = inputs.next().value;
    // Every third one breaks off, in the middle of a character, too.
    const whole = Buffer.from(text);
    const bytes = i % 3 === 0 ? whole.subarray(0, (i * 7919) % (whole.length + 1)) : whole;
    const found = await outcome(() => readTransactionResponse(bytes, 2, "id"));
    const expected = await outcome(() => readByExpressions(bytes.toString(), 2, "id"));

    if (!isDeepStrictEqual(found, expected)) different.push(bytes.toString());
    const code = (found.error as StorageError | undefined)?.code;
    counts[code === undefined ? "stored" : code === "storage.malformed-response" ? "malformed" : "refused"]++;
  }
  expect(different).toEqual([]);
  // Every kind of answer was among them.
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(runs / 100);
});

test.each(seeds.map((seed, i) => [i, seed] as const))(
  "answer %d broken off at any byte is read the same",
  async (_i, seed) => {
    const bytes = Buffer.from(seed);
    for (let end = 0; end <= bytes.length; end++) {
      const cut = bytes.subarray(0, end);
      expect(await outcome(() => readTransactionResponse(cut, 2, undefined))).toEqual(
        await outcome(() => readByExpressions(cut.toString(), 2, undefined)),
      );
    }
  },
);

test("an answer broken off anywhere before its last line end never says that all is stored", async () => {
  const bytes = Buffer.from(reply(stored(), stored()));
  for (let end = 0; end < bytes.length - 2; end++)
    expect(await outcome(() => readTransactionResponse(bytes.subarray(0, end), 2, undefined))).toMatchObject({
      error: { code: "storage.malformed-response", applied: "maybe" },
    });
});

/** The meaning of an answer, said by regular expressions over its text. */
async function readByExpressions(text: string, operations: number, requestId?: string): Promise<unknown> {
  const parts: { readonly status: number; readonly etag: string | undefined; readonly body: string }[] = [];
  const statusLine = /^HTTP\/1\.1 (\d{3})(?: [^\r\n]*)?\r?\n/gm;
  for (let found = statusLine.exec(text); found !== null; found = statusLine.exec(text)) {
    const from = found.index + found[0].length;
    const boundary = text.indexOf("\n--", from);
    if (boundary < 0) break;
    const response = text.slice(from - 1, boundary);
    const blank = /\r?\n\r?\n/.exec(response);
    const head = blank === null ? response : response.slice(0, blank.index);
    parts.push({
      status: Number(found[1]),
      etag: /^etag:[ \t]*([^\r\n]+?)[ \t]*$/im.exec(head)?.[1],
      body: blank === null ? "" : response.slice(blank.index + blank[0].length),
    });
    statusLine.lastIndex = boundary;
  }
  const refusal = parts.find((part) => part.status >= 400);
  const id = requestId === undefined ? {} : { requestId };
  if (refusal !== undefined) {
    const { code, message, index } = readFault(refusal.body);
    throw StorageError.ofResponse(
      code ?? `Status${refusal.status}`,
      message ?? `The service responded with ${refusal.status}.`,
      {
        applied: mayBeApplied(refusal.status) ? "maybe" : "no",
        status: refusal.status,
        ...(code !== undefined && { serviceCode: code }),
        ...(index !== undefined && { index }),
        ...id,
      },
    );
  }
  const outer = /^\s*(--\S+)/.exec(text)?.[1];
  const isClosed = outer !== undefined && text.trimEnd().endsWith(`${outer}--`);
  const areStored = parts.every(({ status }) => status >= 200 && status < 300);
  if (!areStored || parts.length !== operations || !isClosed)
    throw new StorageError(
      "storage.malformed-response",
      `The response to a transaction of ${operations} operations has ${parts.length} complete parts, so the outcome is unknown.`,
      { applied: "maybe", ...id },
    );
  return parts.map(({ etag }) => (etag === undefined ? {} : { etag }));
}
