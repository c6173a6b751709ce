// pnpm api: compares what each package lets out with its report, etc/<package>.api.md; `--local` writes the reports anew.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Extractor, ExtractorConfig } from "@microsoft/api-extractor";
import { bundlePackages } from "./bundle-packages.mjs";
import { entriesOf, manifestOf, packageNames } from "./package-entries.mjs";

const localBuild = process.argv.includes("--local");
const settings = ExtractorConfig.loadFile(join(import.meta.dirname, "api-extractor.json"));
const compilerOptions = {
  target: "es2023",
  lib: ["es2023", "esnext.disposable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  types: ["node"],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

// Packages take the types of each other from what is published.
await bundlePackages();
const isRight = packageNames().map(compare);
process.exitCode = isRight.every(Boolean) ? 0 : 1;

/** Compares one package, or writes its report; tells whether they agree. */
function compare(name) {
  const projectFolder = resolve("packages", name);
  const entry = writeAllEntries(name, join(projectFolder, "temp/declarations"));
  const configObject = {
    ...settings,
    projectFolder,
    // Its declarations alone, and those that other packages publish.
    compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
  };
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(projectFolder, "package.json"),
  });
  mkdirSync(join(projectFolder, "etc"), { recursive: true });
  const names = namesOf(name);
  const messageCallback = (message) => {
    // It need not tell what it does. A name of another entry is one of its namespace here, which links don't find.
    const [, target] = / does not have an export "(.+)"$/.exec(message.text) ?? [];
    if (message.logLevel === "info" || names.has(target)) message.logLevel = "none";
  };
  const { succeeded } = Extractor.invoke(config, { localBuild, messageCallback });
  if (!succeeded) console.error(`packages/${name} lets out something else: pnpm api:update accepts it.`);
  return succeeded;
}

/** The front door's own names, and a namespace for each other entry: what several let out is described once. */
function writeAllEntries(name, folder) {
  const lines = entriesOf(manifestOf(name))
    .filter(({ hasTypes }) => hasTypes)
    .flatMap(({ name: entry }) => {
      const from = `from "./${entry}.ts";`;
      if (entry !== "index") return [`export * as ${camelCase(entry)} ${from}`];
      const declarations = readFileSync(join(folder, "index.d.ts"), "utf8");
      return [
        `export * ${from}`,
        ...(/\bdefault\b/.test(declarations) ? [`export { default } ${from}`] : []),
      ];
    });
  const file = join(folder, "all-entries.d.ts");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

function camelCase(entry) {
  return entry.replaceAll(/[^a-z0-9]+(.)/gi, (_, next) => next.toUpperCase());
}

/** The names that the entries of a package let out: a bundle of declarations ends with their list. */
function namesOf(name) {
  const declarations = entriesOf(manifestOf(name)).filter(({ hasTypes }) => hasTypes);
  return new Set(
    declarations.flatMap((entry) => {
      const text = readFileSync(join("packages", name, `dist/${entry.name}.d.ts`), "utf8");
      const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
      return lists.flatMap(([, list]) => list.split(",").map((each) => each.trim().split(/\s+/).at(-1)));
    }),
  );
}
