import type { Bug } from "./bug.ts";
import { findCode, findFunctions, type Found, wordsIn, type Node, parse, parsePattern } from "./find-code.ts";
import type { Source } from "./sources.ts";

/** A source with a bug in it. */
export interface Planted {
  /** The file, as a path in the workspace. */
  readonly file: string;
  readonly text: string;
}

/** A match, and its scope: a function of a file, or the file. */
interface Place extends Found {
  readonly source: Source;
  readonly scope: Node;
}

/**
 * Plants a bug in the source that contains its code.
 *
 * @throws Error if the code is not found, or found more than once; the message lists similar code
 */
export function plant(bug: Bug, sources: readonly Source[]): Planted {
  const places = placesOf(bug, sources);
  const [place, ...others] = places;
  if (place === undefined) throw misfit(bug, "nothing in the packages is", nearPlaces(bug, sources));
  if (others.length > 0) throw misfit(bug, "more than one place is", places);
  const { source, scope, node } = place;

  const bindings = new Map([...givenBindings(bug, source, scope), ...place.bindings]);
  const code = (bug.replace ?? ";").replaceAll(/\$[A-Z]+/g, (name) => {
    const bound = bindings.get(name);
    if (bound === undefined) throw new Error(`Bug "${bug.name}": nothing says what ${name} stands for.`);
    return bound;
  });
  const text = source.text.slice(0, node.start) + code + source.text.slice(node.end);
  parse(text, source.file);
  return { file: source.file, text };
}

function placesOf(bug: Bug, sources: readonly Source[]): Place[] {
  const pattern = parsePattern(bug.find);
  const words = [...wordsIn(pattern), ...(bug.function === undefined ? [] : [bug.function])];
  return sources
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .flatMap((source) => {
      const { program, text } = source;
      const scopes = bug.function === undefined ? [program] : findFunctions(bug.function, program);
      return scopes.flatMap((scope) =>
        findCode(pattern, scope, text).map((found) => ({ ...found, source, scope })),
      );
    });
}

function givenBindings(bug: Bug, { text }: Source, scope: Node): ReadonlyMap<string, string> {
  if (bug.given === undefined) return new Map();
  const [only, ...others] = findCode(parsePattern(bug.given), scope, text);
  if (only === undefined || others.length > 0)
    throw new Error(`Bug "${bug.name}": ${bug.given} is not found exactly once near the bug.`);
  return only.bindings;
}

/** Code of the same form with other names, as after a rename. */
function nearPlaces({ find }: Bug, sources: readonly Source[]): Place[] {
  const pattern = parsePattern(find);
  return sources.flatMap((source) =>
    findCode(pattern, source.program, source.text, "any").map((found) => ({
      ...found,
      source,
      scope: source.program,
    })),
  );
}

function misfit({ name, function: scope, find }: Bug, what: string, places: readonly Place[]): Error {
  const wanted = scope === undefined ? find : `${find}   (in ${scope})`;
  const listed = places.slice(0, 5).map(({ source: { file, text }, node }) => {
    const line = text.slice(0, node.start).split("\n").length;
    return `  ${file}:${line}  ${text.slice(node.start, node.end).replaceAll(/\s+/g, " ").slice(0, 100)}`;
  });
  const near = listed.length === 0 ? [] : ["Similar code:", ...listed];
  return new Error(
    [
      `Bug "${name}": ${what}`,
      `  ${wanted}`,
      ...near,
      "Update its description in tools/planted-bugs/src/bugs to match the source.",
    ].join("\n"),
  );
}
