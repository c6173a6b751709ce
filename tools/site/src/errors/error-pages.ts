import type { Page } from "../pages/page.ts";
import { type CodeUse, collectCodes } from "./collect-codes.ts";
import type { ErrorPage } from "./error-page.ts";
import { importsOf } from "./imports.ts";
import { areas } from "./pages/areas.ts";
import { setting } from "./setting.ts";

/** The pages about errors: one for each code, and an overview of all. */
export function errorPages(uses: readonly CodeUse[] = collectCodes()): Page[] {
  const byCode = Map.groupBy(uses, ({ code }) => code);
  const all = areas.flatMap(({ pages }) => Object.entries(pages));
  return [
    page("index", overview()),
    ...all.map(([code, written]) => page(code, textOf(code, written, byCode.get(code) ?? []))),
  ];
}

const page = (name: string, text: string): Page => ({
  source: `docs/errors/${name}.md`,
  path: `errors/${name}`,
  text,
});

function overview(): string {
  const sections = areas.flatMap(({ title, pages }) => [
    `## ${title}`,
    Object.entries(pages)
      .map(([code, { cause }]) => `- [${code}](${code}.md): ${firstSentence(cause)}`)
      .join("\n"),
  ]);
  return `${[
    "# Errors",
    "Every error of Partita extends `TableError` and has a stable `code`. Its message ends with a link to the page of its code. " +
      "Compare codes in programs, and not messages: messages may change.",
    "The examples of these pages use the following declarations:",
    fenced(`${importsOf(setting)}\n${setting}`),
    ...sections,
  ].join("\n\n")}\n`;
}

function textOf(
  code: string,
  { cause, remedy, example, needs }: ErrorPage,
  uses: readonly CodeUse[],
): string {
  const classes = [...new Set(uses.flatMap(({ className }) => className ?? []))];
  const messages = [...new Set(uses.map(({ message }) => message).filter((text) => text !== ""))];
  return `${[
    `# ${code}`,
    cause,
    "## Remedy",
    remedy,
    "## Example",
    ...(needs === undefined
      ? ["This code fails with the error. It uses the [declarations of all examples](index.md)."]
      : [`This code shows what to do. To see the error itself, you need ${needs}.`]),
    fenced(withImports(example)),
    ...(messages.length === 0 ? [] : ["## Message", messages.map(quoted).join("\n\n")]),
    ...(classes.length === 0 ? [] : [`Class: ${classes.map((name) => `\`${name}\``).join(", ")}.`]),
  ].join("\n\n")}\n`;
}

/** An example with imports of its own names; it continues the declarations, which have theirs. */
function withImports(example: string): string {
  const imports = importsOf(example, setting);
  const separator = example.trimStart().startsWith("import ") ? "" : "\n";
  return imports === "" ? example : `${imports}${separator}${example.trim()}`;
}

const fenced = (code: string): string => `\`\`\`ts\n${code.trim()}\n\`\`\``;

/** A message as plain text: placeholders look like tags, which VitePress would read. */
const quoted = (message: string): string => `\`\`\`text\n${message.trim()}\n\`\`\``;

const firstSentence = (text: string): string => /^.*?\.(?= [A-Z]|$)/.exec(text)?.[0] ?? text;
