import { Script } from "node:vm";
import { transformSync } from "@swc/core";
import * as account from "@partita/account";
import * as core from "@partita/core";
import * as keys from "@partita/core/keys";
import * as models from "@partita/core/models";
import * as observe from "@partita/core/observe";
import * as rest from "@partita/core/rest";
import * as storage from "@partita/core/storage";
import * as upgrades from "@partita/core/upgrades";
import * as decorators from "@partita/decorators";
import * as files from "@partita/files";
import * as jsonSchema from "@partita/json-schema";
import * as maintenance from "@partita/maintenance";
import * as pageBlobs from "@partita/page-blobs";
import * as patterns from "@partita/patterns";
import * as queues from "@partita/queues";
import * as server from "@partita/server";
import * as testing from "@partita/testing";
import * as transfer from "@partita/transfer";
import * as workflows from "@partita/workflows";
import { setting } from "../../src/errors/setting.ts";

/** All names that examples may use without an import. */
const names: Readonly<Record<string, unknown>> = {
  ...account,
  ...files,
  ...jsonSchema,
  ...maintenance,
  ...pageBlobs,
  ...patterns,
  ...queues,
  ...server,
  ...testing,
  ...transfer,
  ...workflows,
  ...observe,
  ...rest,
  ...storage,
  ...upgrades,
  ...decorators,
  ...keys,
  ...models,
  ...core,
};

/** What an example did. */
interface Outcome {
  /** The error that it threw; undefined if it threw none. */
  readonly error: unknown;
  /** The codes that it threw or printed. */
  readonly codes: readonly string[];
}

/** Executes an example of a page. */
export async function outcomeOf(example: string): Promise<Outcome> {
  const printed: string[] = [];
  const quiet = (...values: readonly unknown[]): void => void printed.push(...values.map(String));
  const scope = { ...names, console: { log: quiet, warn: quiet, error: quiet } };
  try {
    await run(`${setting}\n{\n${example}\n}`, scope);
    return { error: undefined, codes: printed };
  } catch (error) {
    return { error, codes: [...codesOf(error), ...printed] };
  }
}

async function run(body: string, scope: Readonly<Record<string, unknown>>): Promise<void> {
  const used = Object.keys(scope).filter((name) => new RegExp(`(?<![.\\w])${name}\\b`).test(body));
  const free = used.filter((name) => !new RegExp(`\\b(?:class|const|function) ${name}\\b`).test(body));
  const { code } = transformSync(`const run = async ({ ${free.join(", ")} }) => {\n${body}\n};`, {
    isModule: true,
    jsc: {
      target: "es2023",
      parser: { syntax: "typescript", decorators: true },
      transform: { decoratorVersion: "2022-03" },
    },
  });
  const main = new Script(`(() => {\n${code}\nreturn run;\n})()`).runInThisContext() as (
    scope: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
  await main(scope);
}

/** The codes of an error, of its causes and of the results of a failed save. */
function codesOf(error: unknown, seen = new Set<unknown>()): string[] {
  if (typeof error !== "object" || error === null || seen.has(error)) return [];
  seen.add(error);
  const {
    code,
    cause,
    results = [],
  } = error as {
    readonly code?: unknown;
    readonly cause?: unknown;
    readonly results?: readonly { readonly error?: unknown }[];
  };
  const inner = [cause, ...results.map((result) => result.error)];
  return [...(typeof code === "string" ? [code] : []), ...inner.flatMap((each) => codesOf(each, seen))];
}
