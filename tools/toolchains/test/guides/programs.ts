// Makes a program of each snippet: it imports what it uses from the setting, from earlier snippets, or from a package.

import * as core from "@partita/core";
import * as keys from "@partita/core/keys";
import * as maintenance from "@partita/maintenance";
import * as rest from "@partita/core/rest";
import * as steps from "@partita/core/upgrades";
import * as decorators from "@partita/decorators";
import * as models from "@partita/core/models";
import * as observe from "@partita/core/observe";
import * as server from "@partita/server";
import * as testing from "@partita/testing";
import { exportsOf, type Guide, moduleOf, type Snippet, type Source } from "./guide.ts";

/** Types that snippets name. */
const types = ["Children", "EntityClass", "NewOf", "Plain"];
const typesOfDecorators = ["GeneratedKey", "Key", "ScopedKey"];

const withoutDecorators: readonly Source[] = [
  { module: "@partita/core", names: [...Object.keys(core), ...types] },
  { module: "@partita/core/keys", names: Object.keys(keys) },
  { module: "@partita/maintenance", names: Object.keys(maintenance) },
  { module: "@partita/core/upgrades", names: Object.keys(steps) },
  { module: "@partita/core/rest", names: Object.keys(rest) },
  { module: "@partita/server", names: Object.keys(server) },
  { module: "@partita/testing", names: Object.keys(testing) },
  { module: "@partita/core/models", names: Object.keys(models) },
  { module: "@partita/core/observe", names: Object.keys(observe) },
];
const withDecorators: readonly Source[] = [
  { module: "@partita/decorators", names: [...Object.keys(decorators), ...typesOfDecorators] },
  ...withoutDecorators,
];

/** A snippet as a module. */
export interface Program {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly snippet: Snippet;
}

/**
 * The programs of a guide. A snippet may use the classes of those before it.
 *
 * @param settings - modules with the names that the guide takes for granted; the first that has a name gives it
 */
export function guidePrograms({ path, snippets }: Guide, settings: readonly Source[]): Program[] {
  const nameOf = (i: number): string => `${path.replaceAll(/\W/g, "-")}-${i + 1}`;
  return snippets.map((snippet, i) => {
    // The latest first: a guide may show the same class twice.
    const earlier = snippets
      .slice(0, i)
      .map(({ code }, j) => ({ module: `./${nameOf(j)}.ts`, names: exportsOf(code) }));
    return {
      name: nameOf(i),
      title: `${path}, line ${snippet.line}`,
      text: moduleOf(snippet.code, [...earlier.reverse(), ...settings, ...packagesFor(snippet)]),
      snippet,
    };
  });
}

/**
 * The programs of a source file: each example stands alone.
 *
 * @param setting - the names that examples take for granted
 * @param others - where names come from that neither the setting nor the main packages have
 */
export const examplePrograms = (
  { path, snippets }: Guide,
  setting: Source,
  others: readonly Source[],
): Program[] =>
  snippets.map((snippet, i) => ({
    name: `${path.replaceAll(/\W/g, "-")}-${i + 1}`,
    title: `${path}, line ${snippet.line}`,
    text: moduleOf(snippet.code, [setting, ...packagesOf(snippet), ...others]),
    snippet,
  }));

/** A snippet with imports is copied as it is, so it imports all that it uses of packages. Others are fragments. */
function packagesFor({ code }: Snippet): readonly Source[] {
  return /^import /m.test(code) ? [] : packagesOf({ code });
}

const packagesOf = ({ code }: Pick<Snippet, "code">): readonly Source[] =>
  /^ *@\w+\(/m.test(code) ? withDecorators : withoutDecorators;

/** The names that a setting exports. */
export const namesIn = (setting: string): string[] =>
  Array.from(
    setting.matchAll(/^export (?:const|class|async function) (?:(\w+)|[[{] ?([\w, ]+?) ?[\]}])/gm),
    ([, name, list]) => name ?? list ?? "",
  ).flatMap((list) => list.split(", "));

const strict =
  "--ignoreConfig --rewriteRelativeImportExtensions --skipLibCheck --types node --target es2023 --module nodenext " +
  "--lib es2023,esnext.disposable --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes";

/** The compiler's options of a dialect of decorators. */
export const strictOptions = (dialect: "standard" | "legacy"): string[] => [
  ...strict.split(" "),
  ...(dialect === "legacy" ? ["--experimentalDecorators", "--emitDecoratorMetadata"] : []),
];
