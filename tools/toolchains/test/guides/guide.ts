import { globSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const workspace = join(import.meta.dirname, "../../../..");

/** A guide, the README of a package, or a source file with examples in its doc comments. */
export interface Guide {
  /** Its path in the workspace. */
  readonly path: string;
  readonly snippets: readonly Snippet[];
}

/** One block of TypeScript. */
export interface Snippet {
  readonly code: string;
  /** The line of its guide that it begins at. */
  readonly line: number;
  /** Why it is compiled but not run, from `<!-- not executed: … -->` before it. */
  readonly reason: string | undefined;
  /** Whether it is for `experimentalDecorators`, by `<!-- legacy decorators -->` before it. */
  readonly isLegacy: boolean;
}

/** Guides whose programs have tests of their own. */
const others = ["tutorial.md"];

/** Reads the README, every guide in `docs`, and the README of every package. */
export async function readGuides(): Promise<Guide[]> {
  const found = await readdir(join(workspace, "docs"), { recursive: true });
  const docs = found.map((name) => name.replaceAll("\\", "/")).filter((name) => name.endsWith(".md"));
  const packages = await readdir(join(workspace, "packages"));
  const paths = [
    "README.md",
    ...docs
      .filter((name) => !others.includes(name) && !name.startsWith("recipes/"))
      .map((name) => `docs/${name}`),
    ...packages.map((name) => `packages/${name}/README.md`),
  ];
  const guides = paths
    .toSorted()
    .map(async (path) => ({ path, snippets: snippetsOf(await readText(join(workspace, path))) }));
  return Promise.all(guides);
}

/** Reads the examples of every doc comment. One that begins with `// Needs …` is compiled but not run. */
export async function readReference(): Promise<Guide[]> {
  const paths = globSync("packages/*/src/**/*.ts", { cwd: workspace }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const found = paths.toSorted().map(async (path) => {
    const text = await readFile(join(workspace, path), "utf8");
    const snippets = snippetsOf(text.replaceAll(/^ *\* ?/gm, "")).map((snippet) => ({
      ...snippet,
      reason: /^\/\/ Needs (.*)/.exec(snippet.code)?.[1],
      // Without arguments, it takes the property's type from the metadata of legacy decorators.
      isLegacy: /^ *@Property\(\)/m.test(snippet.code),
    }));
    return { path, snippets };
  });
  return (await Promise.all(found)).filter(({ snippets }) => snippets.length > 0);
}

/** A package without a README has no snippets. */
const readText = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

function snippetsOf(text: string): Snippet[] {
  const block = /(?:<!-- (?:not executed: ([^\n]*)|(legacy decorators)) -->\n\n)?^```ts\n([\s\S]*?)^```/gm;
  return Array.from(text.matchAll(block), ({ 1: reason, 2: legacy, 3: code = "", index }) => ({
    code,
    line: text.slice(0, index).split("\n").length,
    reason,
    isLegacy: legacy !== undefined,
  }));
}

/** The lines that a snippet prints, as its comments say: `// → 42`. */
export const outputOf = ({ code }: Snippet): string[] =>
  Array.from(code.matchAll(/\/\/ → (.*)$/gm), ([, line = ""]) => line);

/** Where names come from. */
export interface Source {
  readonly module: string;
  readonly names: readonly string[];
}

/** Makes a module of a snippet: it imports what it uses and does not declare, from the first source that has it. */
export function moduleOf(code: string, sources: readonly Source[]): string {
  const declared = new Set(declaredIn(code));
  const imports = sources.flatMap(({ module, names }) => {
    const used = names.filter((name) => !declared.has(name) && isUsed(name, code));
    for (const name of used) declared.add(name);
    return used.length === 0 ? [] : [`import { ${used.join(", ")} } from "${module}";`];
  });
  const exported = exportsOf(code);
  // What a snippet opens is in memory.
  const program = code.replaceAll(/"file:[^"]*"/g, '"memory:"');
  return [...imports, program, `export { ${exported.join(", ")} };`, ""].join("\n");
}

/** What later snippets of a guide may use: classes and functions. */
export const exportsOf = (code: string): string[] =>
  Array.from(
    code.matchAll(/^(?:abstract class|class|async function|function) (\w+)/gm),
    ([, name = ""]) => name,
  );

const isUsed = (name: string, code: string): boolean =>
  new RegExp(String.raw`(?<![\w.])${name}(?!\w|:)`).test(code);

/** Names that the outermost level declares or imports. */
function declaredIn(code: string): string[] {
  const variables = code.matchAll(/^(?:await using|using|const|let) (\w+|\[[^\]]*\]|\{[^}]*\}) =/gm);
  const imported = code.matchAll(/^import (?:type )?(\{[^}]*\}|\w+)/gm);
  const lists = [...variables, ...imported].map(([, list = ""]) => list);
  return [...exportsOf(code), ...lists.flatMap((list) => list.match(/\w+/g) ?? [])];
}
