import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commentsOf, messagesOf, type Passage, proseOfPage } from "./passage.ts";

/** The prose of the workspace. The passages of a group are measured together. */
export type Texts = Readonly<Record<string, readonly Passage[]>>;

const helpTexts = /^packages\/cli\/src\/(?:commands\/|program\.ts|command-line\.ts)/u;
const guides = ["README.md", "docs/**/*.md", "packages/*/README.md", "examples/**/README.md"];
/** Reports of APIs, and files that tests compare with. */
const notProse = /(?:^|\/)(?:node_modules|dist|temp|etc|fixtures?)\/|CHANGELOG/u;

export function readTexts(workspace: string): Texts {
  const files = (...patterns: readonly string[]): [path: string, text: string][] =>
    filesOf(workspace, patterns).map((path) => [path, readFileSync(join(workspace, path), "utf8")]);
  const sources = files("packages/*/src/**/*.{ts,tsx}", "examples/*/src/**/*.ts", "tools/**/src/**/*.ts");
  const ofPackages = sources.filter(([path]) => path.startsWith("packages/"));
  const pages = files(...guides);
  const isGuide = new Set(pages.map(([path]) => path));
  const others = files("**/*.md", ".changeset/*.md").filter(([path]) => !isGuide.has(path));
  return {
    comments: sources.flatMap(([path, text]) => commentsOf(path, text)),
    messages: ofPackages.flatMap(([path, text]) => (helpTexts.test(path) ? [] : messagesOf(path, text))),
    help: ofPackages.flatMap(([path, text]) => (helpTexts.test(path) ? messagesOf(path, text) : [])),
    guides: pages.map(([path, text]) => proseOfPage(path, text)),
    project: others.map(([path, text]) => proseOfPage(path, text)),
  };
}

/** The words of all Markdown, code and tables included, as `wc -w` counts them. */
export function countMarkdown(workspace: string): number {
  const paths = filesOf(workspace, ["**/*.md", ".changeset/*.md"]);
  const texts = paths.map((path) => readFileSync(join(workspace, path), "utf8"));
  return texts.reduce((sum, text) => sum + text.split(/\s+/u).filter((word) => word !== "").length, 0);
}

function filesOf(workspace: string, patterns: readonly string[]): string[] {
  const exclude = (path: string): boolean => /(?:^|\/)(?:node_modules|dist|temp|\.git)$/u.test(path);
  const found = globSync([...patterns], { cwd: workspace, exclude }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  return [...new Set(found)].filter((path) => !notProse.test(path)).toSorted();
}
