import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readHelp } from "../../../../packages/cli/src/internal.ts";
import { errorPages } from "../errors/error-pages.ts";
import { commandPages } from "../generated/command-pages.ts";
import { measurementsPage } from "../generated/measurements-page.ts";
import { playgroundPage } from "../playground/playground-page.ts";
import { workspace } from "../workspace.ts";
import { examplePage } from "./example-page.ts";
import type { Page } from "./page.ts";

/** Pages that are not below `docs`, and where they are on the site. */
const others: Readonly<Record<string, string>> = {
  "README.md": "overview",
  "ARCHITECTURE.md": "architecture",
  "CONTRIBUTING.md": "contributing",
  "SECURITY.md": "security",
};

/** Reads everything that is a page of the site, but the reference: guides, READMEs of packages, examples, commands, errors. */
export function readPages(): Page[] {
  const guides = found("docs/**/*.md").map((source) =>
    read(source, source.slice("docs/".length, -".md".length).replace(/\/README$/, "/index")),
  );
  const packages = found("packages/*/README.md").map((source) =>
    read(source, source.split("/", 2).join("/")),
  );
  const examples = found("examples/*/package.json").map((manifest) =>
    examplePage(manifest.split("/", 2).join("/")),
  );
  return [
    ...guides,
    ...Object.entries(others).map(([source, path]) => read(source, path)),
    ...packages,
    ...examples,
    ...commandPages(readHelp()),
    ...errorPages(),
    measurementsPage(),
    playgroundPage,
  ];
}

const read = (source: string, path: string): Page => ({
  source,
  path,
  text: readFileSync(join(workspace, source), "utf8"),
});

const found = (pattern: string): string[] =>
  globSync(pattern, { cwd: workspace, exclude: (path) => path.includes("node_modules") })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted();
