// pnpm words: no banned word in a comment, a message or a guide. Each find names its place and the word to use.
import { globSync, readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { bannedWords } from "./words.mjs";

const sources = ["packages/*/src/**/*.ts", "examples/*/src/**/*.ts", "tools/**/src/**/*.ts"];
const guides = ["*.md", "docs/**/*.md", "packages/*/README.md", "examples/**/README.md", ".changeset/*.md"];
const isOurs = (path) => !/node_modules|\/dist\/|CHANGELOG/.test(path);

let found = 0;
for (const path of globSync(sources).filter(isOurs))
  check(path, proseOfSource(path, readFileSync(path, "utf8")));
for (const path of globSync(guides).filter(isOurs)) check(path, proseOfGuide(readFileSync(path, "utf8")));
console.log(
  found === 0 ? "No banned word." : `\n${found} banned word(s); tools/words/words.mjs has the list.`,
);
process.exit(found === 0 ? 0 : 1);

/** Reports the banned words of a text whose other parts are blank. */
function check(path, prose) {
  for (const { not, but, only } of bannedWords) {
    if (only !== undefined && !only.test(path)) continue;
    for (const match of prose.matchAll(not)) {
      const before = prose.slice(0, match.index).split("\n");
      console.log(`${path}:${before.length}:${before.at(-1).length + 1} "${match[0]}": ${but}`);
      found++;
    }
  }
}

/** A source with only its comments and the text of its messages: strings that have a space. */
function proseOfSource(path, text) {
  const { program, comments } = parseSync(path, text);
  const parts = comments.map(({ start, end }) => [start, end]);
  for (const { type, value, start, end } of nodesOf(program)) {
    const written = type === "TemplateElement" ? value.raw : type === "Literal" ? value : undefined;
    if (typeof written === "string" && written.includes(" ")) parts.push([start, end]);
  }
  return onlyThese(
    text,
    parts.toSorted(([a], [b]) => a - b),
  );
}

function* nodesOf(node) {
  if (typeof node !== "object" || node === null) return;
  if (typeof node.type === "string") yield node;
  for (const child of Object.values(node)) yield* nodesOf(child);
}

/** A guide without its code. */
function proseOfGuide(text) {
  const blank = (code) => code.replaceAll(/[^\n]/g, " ");
  return text.replaceAll(/^```[\s\S]*?^```/gm, blank).replaceAll(/`[^`\n]+`/g, blank);
}

/** The text with everything else blank, so that lines and columns stay. */
function onlyThese(text, parts) {
  let prose = "";
  for (const [start, end] of parts) {
    if (start < prose.length) continue;
    prose += text.slice(prose.length, start).replaceAll(/[^\n]/g, " ") + text.slice(start, end);
  }
  return prose;
}
