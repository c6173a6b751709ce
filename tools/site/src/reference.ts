import { globSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { Application, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import { type Entry, readEntries } from "./reference-entries.ts";
import { workspace } from "./workspace.ts";

/**
 * Writes the reference of everything that the packages export, with a page for each class, interface,
 * function and type.
 *
 * @param folder - the output folder, with a subfolder for each entry
 * @throws {Error} if the sources cannot be read as TypeScript, or an entry exports nothing
 */
export async function writeReference(folder: string): Promise<void> {
  const entries = readEntries();
  const options: TypeDocOptions & PluginOptions = {
    tsconfig: join(workspace, "tools/site/tsconfig.reference.json"),
    entryPoints: entries.map(({ file }) => file),
    plugin: ["typedoc-plugin-markdown"],
    name: "Reference",
    readme: "none",
    outputs: [{ name: "markdown", path: folder }],
    entryFileName: "index",
    hideBreadcrumbs: true,
    hidePageHeader: true,
    pageTitleTemplates: { module: "{name}", member: "{name}" },
    disableSources: true,
    excludeInternal: true,
    // `tsc` and the linter have already checked the sources.
    skipErrorChecking: true,
    validation: false,
    logLevel: "Error",
    useCodeBlocks: true,
    parametersFormat: "table",
    typeAliasPropertiesFormat: "table",
    sanitizeComments: true,
  };
  const app = await Application.bootstrapWithPlugins(options);
  const project = await app.convert();
  if (project === undefined) throw new Error("TypeDoc could not read the sources of the packages.");
  for (const child of project.children ?? []) {
    const entry = entries.find(({ file }) => nameByTypeDoc(file) === child.name);
    if (entry === undefined) throw new Error(`No package has the entry ${child.name}.`);
    child.name = entry.name;
  }
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error("TypeDoc could not write the reference.");
  renameIndexPages(folder);
  describeEntries(folder, entries);
}

/** Describes each entry on the first page, and at the top of the entry's own page. */
function describeEntries(folder: string, entries: readonly Entry[]): void {
  const lines = entries.map(({ name, description }) => `| [${name}](${name}/index.md) | ${description} |`);
  writeFileSync(
    join(folder, "index.md"),
    `# Reference\n\n| Import from | What it holds |\n| --- | --- |\n${lines.join("\n")}\n`,
  );
  for (const { name, description } of entries) {
    const file = join(folder, name, "index.md");
    const text = readFileSync(file, "utf8");
    writeFileSync(
      file,
      text.replace(/^# .*\n/, (heading) => `${heading}\n${description}\n`),
    );
  }
}

/** A page named `Index` would be treated as the first page of its folder, so it becomes `Index_`. */
function renameIndexPages(folder: string): void {
  const files = globSync("**/*.md", { cwd: folder }).map((path) => join(folder, path));
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const renamed = text.replaceAll(/\bIndex\.md/g, "Index_.md");
    if (renamed !== text) writeFileSync(file, renamed);
    if (basename(file) === "Index.md") renameSync(file, join(dirname(file), "Index_.md"));
  }
}

/** TypeDoc names an entry by its path below the common folder: `core/src/keys`. */
const nameByTypeDoc = (file: string): string =>
  relative(join(workspace, "packages"), file)
    .replaceAll("\\", "/")
    .replace(/(\/index)?\.ts$/, "");
