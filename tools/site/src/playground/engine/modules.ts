import { odata } from "@partita/core/internal/planner";
import * as keys from "@partita/core/keys";
import * as models from "@partita/core/models";
import {
  anyBoolean,
  anyDate,
  anyGuid,
  anyInt64,
  anyInteger,
  anyNumber,
  anyOf,
  anyText,
  definePatterns,
  listOf,
  optional,
  pattern,
  withinDays,
} from "@partita/patterns";

const domains = { anyBoolean, anyDate, anyGuid, anyInt64, anyInteger, anyNumber, anyOf, anyText, withinDays };

/** The modules that a program can import. */
const modules: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "@partita/core": { ...models, odata },
  "@partita/core/keys": { ...keys },
  "@partita/core/models": { ...models },
  "@partita/patterns": { ...domains, definePatterns, listOf, optional, pattern },
};

const importLine = /^[ \t]*import\s+([^"';]*?)\s+from\s+["']([^"']+)["'];?/gm;

/**
 * The same program as the body of a function: imports become constants, and nothing is exported. Lines stay where they
 * are.
 *
 * @param load - the name of the function that loads a module
 */
export const withoutModules = (text: string, load: string): string =>
  text
    .replaceAll(importLine, (line: string, names: string, from: string) => {
      const end = "\n".repeat(line.split("\n").length - 1);
      return `const ${names.replaceAll(/\s+as\s+/g, ": ").replaceAll(/\s+/g, " ")} = ${load}("${from}");${end}`;
    })
    .replaceAll(/^export\s+(?:default\s+)?(?=class|const|let|var|function|async)/gm, "");

/** @throws Error for a module or a name that the playground lacks */
export function loadModule(name: string): object {
  const found = modules[name];
  if (found === undefined)
    throw new Error(`The playground has no module "${name}". It has ${Object.keys(modules).join(", ")}.`);
  return new Proxy(found, {
    get(_target, member) {
      if (typeof member !== "string" || Object.hasOwn(found, member)) return found[String(member)];
      throw new Error(
        `The playground has no "${member}" of ${name}: it declares classes and plans queries, and has no storage.`,
      );
    },
  });
}
