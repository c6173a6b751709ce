// The law of scopes: no program in a context of one tenant sees or changes a row of another, by whatever methods.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { amountOf, isLong } from "@partita/test-support/effort";
import { definedScopes } from "@partita/test-support/domain/scope-classes";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTables, openStorage, type TableStorage } from "../../../src/index.ts";
import { runProgram } from "./program.ts";
import { secret } from "./world.ts";

/** Methods that lead nowhere, each with the reason. */
const outside: Readonly<Record<string, string>> = {};

const programs = Number(
  process.env["PARTITA_SCOPE_RUNS"] ?? amountOf({ short: 500, full: 1000, long: 50_000 }),
);
const parts = isLong ? 1 : 10;

const called = new Set<string>();
const warnings: string[] = [];
let entities = 0;
let storage: TableStorage;

beforeAll(async () => {
  vi.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)));
  storage = await openStorage("memory:", { durability: "normal" });
  await createTables(storage, Object.values(definedScopes));
});
afterAll(async () => {
  vi.restoreAllMocks();
  await storage.close();
});

for (let part = 0; part < parts; part++)
  test(`no program of acme sees or changes a row of beta (${part + 1} of ${parts})`, async () => {
    const leaks: string[] = [];
    for (let i = part; i < programs; i += parts) {
      const seen = await runProgram(storage, i, called);
      leaks.push(...seen.leaks);
      entities += seen.entities;
    }

    expect(leaks.slice(0, 5)).toEqual([]);
    expect(warnings.filter((warning) => warning.includes(secret))).toEqual([]);
  });

/** The methods and accessors of a class in the API report. */
function methodsOf(name: string): string[] {
  const lines = readFileSync(join(import.meta.dirname, "../../../etc/core.api.md"), "utf8").split(/\r?\n/);
  const first = lines.findIndex((line) =>
    new RegExp(String.raw`^(export )?(abstract )?class ${name}\b`).test(line),
  );
  const body = lines.slice(first + 1, lines.indexOf("}", first));
  const names = body.flatMap((line) => /^ {4}(?:get )?(\[?[A-Za-z.]+\]?)[<(]/.exec(line)?.[1] ?? []);
  return [...new Set(names)].filter((method) => method !== "constructor");
}

test.each(["EntityChanges", "TableContext", "Query"])("the programs call every method of %s", (name) => {
  const methods = methodsOf(name);
  const asCalled = (method: string): string =>
    method.startsWith("[") ? `Symbol(${method.slice(1, -1)})` : method;

  expect(methods.length).toBeGreaterThan(5);
  expect(methods.filter((method) => !called.has(asCalled(method)) && outside[method] === undefined)).toEqual(
    [],
  );
});

test("the programs see rows of their own", () => {
  expect(entities).toBeGreaterThan(programs * 5);
});
