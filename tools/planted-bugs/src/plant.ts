import type { Bug } from "./bug.ts";
import { findCode, findFunctions, type Found, type Node, parse, parsePattern } from "./find-code.ts";

/**
 * Plants a bug in the text of its file.
 *
 * @throws Error when the function or the code of the bug is not found, or found more than once
 */
export function plant(bug: Bug, text: string): string {
  const program = parse(text);
  const scope =
    bug.function === undefined
      ? program
      : theOne(bug, `function ${bug.function}`, findFunctions(bug.function, program));
  const place = theOne(bug, bug.find, findIn(bug.find, scope, text));
  const more = bug.given === undefined ? [] : theOne(bug, bug.given, findIn(bug.given, scope, text)).bindings;
  const bindings = new Map([...more, ...place.bindings]);
  const code = (bug.replace ?? ";").replaceAll(/\$[A-Z]+/g, (name) => {
    const bound = bindings.get(name);
    if (bound === undefined) throw new Error(`Bug "${bug.name}": nothing says what ${name} stands for.`);
    return bound;
  });
  const planted = text.slice(0, place.node.start) + code + text.slice(place.node.end);
  parse(planted);
  return planted;
}

const findIn = (code: string, scope: Node, text: string): Found[] =>
  findCode(parsePattern(code), scope, text);

function theOne<Item>({ name, file }: Bug, what: string, found: readonly Item[]): Item {
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  throw new Error(
    `Bug "${name}": ${found.length === 0 ? "nothing" : `more than one place`} in ${file} is\n  ${what}\nMake its description in tools/planted-bugs/src/bugs fit the source again.`,
  );
}
