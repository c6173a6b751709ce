import { StringDecoder } from "node:string_decoder";
import { writeFaults } from "@partita/testing";
import { expect, onTestFinished, test } from "vitest";
import { logActivity } from "../../../src/observe.ts";
import { logByEnvironment } from "../../../src/storage/tracing/activity-log.ts";
import { contextOf, Note, openStore, read, seeded } from "../../features/unit-of-work/store.ts";

const open = (): ReturnType<typeof openStore> => openStore("memory:");
const withoutTimes = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(/\d+\.\d ms/, "n ms"));

test("a line for each query, request and save that ended, without keys, values and messages", async () => {
  const store = await seeded(open);
  const lines: string[] = [];
  const log = await logActivity({ write: (line) => void lines.push(line) });
  const context = contextOf(store);
  const note = await read(context);
  await context.query(Note).where({ book: "b" }).toArray();
  note.title = "SECRET-VALUE";
  store.plan = writeFaults("throttled");
  await context.saveChanges();
  log[Symbol.dispose]();
  await read(contextOf(store));

  expect(withoutTimes(lines)).toEqual([
    "partita:request n ms get Notes, 1 row",
    "partita:request n ms query Notes, 1 row",
    "partita:query n ms Notes: partition scan (fair) for Note: book eq; 1 request planned, 1 page, 1 row, 1 result",
    "partita:request n ms write Notes failed: storage.too-many-requests",
    "partita:request n ms write Notes (try 2)",
    "partita:save n ms 1 change: 1 committed, 0 rejected, 0 unknown",
  ]);
});

test("a slow log has what took long, and of queries the time of reading alone", async () => {
  const store = await seeded(open, 2);
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  using _none = await logActivity({ slowMs: 3_600_000, write });
  using _all = await logActivity({ slowMs: 0, only: ["query"], write });
  const from = performance.now();
  let loopMs = 0;
  for await (const _note of contextOf(store).query(Note).where({ book: "b" })) {
    const begun = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    loopMs += performance.now() - begun;
  }
  const wholeMs = performance.now() - from;

  expect(lines).toHaveLength(1);
  const ms = Number(/query (\S+) ms/.exec(lines[0] ?? "")?.[1]);
  // As it is printed, to a tenth of a millisecond.
  expect(ms).toBeLessThanOrEqual(wholeMs - loopMs + 0.1);
});

test.each([
  [{ only: ["reads"] }, "log.option"],
  [{ only: [] }, "log.option"],
  [{ slowMs: -1 }, "log.option"],
  [{ slow: 1 }, "log.option"],
])("options %j are refused", async (options, code) => {
  await expect(logActivity(options as never)).rejects.toMatchObject({ code });
});

test.each([
  [{ debug: "*,-request", slowMs: undefined }, ["query", "save"]],
  [{ debug: "partita:query sav*", slowMs: undefined }, ["query", "save"]],
  [{ debug: "1", slowMs: "0" }, ["query", "request", "save"]],
  [{ debug: undefined, slowMs: "3600000" }, []],
])("the environment says %j: %j are logged to the standard error", async (asked, expected) => {
  const printed = captureErrors();
  const log = logByEnvironment(asked);
  onTestFinished(() => log?.[Symbol.dispose]());
  const context = contextOf(await seeded(open));
  const [note] = await context.query(Note).where({ book: "b" }).toArray();
  (note as Note).pages = 7;
  await context.saveChanges();

  const names = printed().map((line) => /^partita:(\w+) /.exec(line)?.[1]);
  expect([...new Set(names)].toSorted((a = "", b = "") => a.localeCompare(b))).toEqual(expected);
});

test.each([
  [{ debug: "querys", slowMs: undefined }, "PARTITA_DEBUG=querys names nothing"],
  [{ debug: undefined, slowMs: "fast" }, 'PARTITA_SLOW_MS takes milliseconds, such as 200, but is "fast"'],
])("the environment says %j, which is reported", (asked, message) => {
  const printed = captureErrors();

  expect(logByEnvironment(asked)).toBeUndefined();
  expect(printed().join("\n")).toContain(message);
});

/** What is written to the standard error until the test ends, in lines. */
function captureErrors(): () => string[] {
  const write = process.stderr.write.bind(process.stderr);
  const decoder = new StringDecoder();
  let printed = "";
  process.stderr.write = (chunk: string | Uint8Array): boolean => {
    printed += typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk));
    return true;
  };
  onTestFinished(() => {
    process.stderr.write = write;
  });
  return () => printed.split("\n").filter((line) => line.startsWith("partita"));
}
