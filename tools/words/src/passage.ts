import { parseSync } from "oxc-parser";

/** A piece of prose: a comment, a message, or a page. Code is left out, and line numbers stay the same. */
export interface Passage {
  readonly path: string;
  /** The line of the file that it begins at, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Words as `pnpm words` counts them: anything that has a letter. */
export const countWords = (text: string): number =>
  text.split(/\s+/u).filter((word) => /\p{L}/u.test(word)).length;

/** The comments of a source. Line comments that follow each other are one passage. */
export function commentsOf(path: string, source: string): Passage[] {
  const { comments } = parseSync(path, source);
  const passages: { line: number; end: number; text: string }[] = [];
  for (const { type, value, start, end } of comments) {
    const line = lineAt(source, start);
    const before = passages.at(-1);
    if (type === "Line" && before?.end === line - 1) {
      before.text += `\n${value}`;
      before.end = line;
    } else passages.push({ line, end: type === "Line" ? line : Number.NaN, text: value });
    if (type === "Block") passages.at(-1)!.end = lineAt(source, end) + 1; // the next line comment is another passage
  }
  return passages.map(({ line, text }) => ({ path, line, text: plain(withoutMarks(text)) }));
}

/** The strings of a source that are sentences: messages and help texts, but neither code nor SQL. */
export function messagesOf(path: string, source: string): Passage[] {
  const passages: Passage[] = [];
  for (const node of nodesOf(parseSync(path, source).program)) {
    const text = textOf(node);
    if (text !== undefined && isSentence(text))
      passages.push({ path, line: lineAt(source, node.start), text: plain(text) });
  }
  return passages;
}

/** The prose of a page in Markdown: no code, no tables, no addresses. */
export function proseOfPage(path: string, markdown: string): Passage {
  const text = markdown
    .replaceAll(/^( *)```[\s\S]*?^\1```/gmu, onlyLines)
    .replaceAll(/<!--[\s\S]*?-->/gu, onlyLines)
    .replaceAll(/^ *\|.*$/gmu, "")
    .replaceAll(/\[((?:[^\][]|\[[^\]]*\])*)\]\([^)\s]*\)/gu, "$1")
    .replaceAll(/^ *(?:#+|[-*]|\d+\.) +/gmu, "¶");
  return { path, line: 1, text: plain(text) };
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked?: string | null } }[];
}

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value && typeof value.type === "string") yield value as Node;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

/** The text of a literal; values in a template count as one word. */
function textOf({ type, value, quasis = [] }: Node): string | undefined {
  if (type === "TemplateLiteral") return quasis.map((each) => each.value.cooked ?? "").join("x");
  return type === "Literal" && typeof value === "string" ? value : undefined;
}

const code = /[{}]|=>|===|;\s*$|;\n|\b(?:const|let|return|typeof)\s|^\s*(?:import|function)\s/mu;
const sql = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|WITH|BEGIN|EXPLAIN)\b/u;

const isSentence = (text: string): boolean =>
  (text.match(/\p{L}{2,}/gu)?.length ?? 0) > 2 &&
  /\p{L} \p{L}/u.test(text) &&
  !code.test(text) &&
  !sql.test(text);

/** A comment without its stars, directives and names of tags. */
const withoutMarks = (comment: string): string =>
  comment
    .replaceAll(/```[\s\S]*?```/gu, onlyLines)
    .replaceAll(/^\s*\*+ ?/gmu, "")
    .replaceAll(/\boxlint-disable.*$/gmu, "")
    .replaceAll(/^ *(?:[-*]|\d+\.) +/gmu, "¶")
    .replaceAll(/\{?@\w+/gu, "");

/** Text with `x` for each piece of code in a line. */
const plain = (text: string): string => text.replaceAll(/`[^`\n]+`/gu, "x");

const onlyLines = (text: string): string => text.replaceAll(/[^\n]/gu, "");

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
