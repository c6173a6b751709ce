import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { rolldown, VERSION } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { bundlePage } from "./bundle-page.mjs";
import { functionDeclarations } from "./function-declarations.mjs";
import { hideSourceLines } from "./hide-source-lines.mjs";
import { entriesOf, manifestOf, packageNames } from "./package-entries.mjs";
import { say } from "./step.mjs";

/** Bundles the packages that changed, of those named by their folders, or of all. */
export async function bundlePackages(names = packageNames()) {
  for (const name of names) if (await bundlePackage(name)) say(`Bundled packages/${name}.`);
}

/**
 * Makes `dist` of a package: one ES module for each entry, chunks for what entries share and for what they load later,
 * source maps into `src`, and declarations. Entries with a condition `module` get `dist/modules` too, where each module is a
 * file: bundlers take from there, and drop every module that a program does not use. A package whose sources are as they were
 * is left alone.
 *
 * @returns {Promise<boolean>} whether there was something to do
 */
async function bundlePackage(name) {
  const folder = join("packages", name);
  const manifest = manifestOf(name);
  const entries = entriesOf(manifest);
  const stamp = join(folder, "temp/bundled");
  const state = stateOf(folder);
  const isFresh =
    readIfThere(stamp) === state && entries.every((entry) => existsSync(outputOf(folder, entry)));
  if (isFresh) return false;

  rmSync(stamp, { force: true });
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  await bundleModules(folder, entries, manifest);
  await bundleDeclarations(
    folder,
    entries.filter(({ hasTypes }) => hasTypes),
  );
  await bundlePage(folder);
  mkdirSync(join(folder, "temp"), { recursive: true });
  writeFileSync(stamp, state);
  return true;
}

async function bundleModules(folder, entries, { version, engines }) {
  const input = {
    transform: {
      // The oldest Node that the package runs on.
      target: engines.node.replace(">=", "node"),
      // Programs that bundle a package have no manifest of it beside them.
      define: { PARTITA_VERSION: JSON.stringify(version) },
    },
  };
  const output = {
    // Documentation is in the declarations and the sources; what is not parsed makes an import faster.
    comments: { jsdoc: false },
    // One character beyond Latin 1 would make V8 keep and read the whole file as two bytes a character.
    charset: "ascii",
  };
  const written = await bundle(folder, entries, {
    ...input,
    output: {
      ...output,
      sourcemap: true,
      // The package has its sources beside them.
      sourcemapExcludeSources: true,
      codeSplitting: { groups: sharedChunks(folder, entries) },
    },
  });
  for (const { type, fileName } of written)
    if (type === "chunk") rewrite(join(folder, "dist", fileName), hideSourceLines);
  const forBundlers = entries.filter(({ hasModules }) => hasModules);
  if (forBundlers.length === 0) return;
  await bundle(folder, forBundlers, {
    ...input,
    plugins: [functionDeclarations()],
    output: {
      ...output,
      dir: join(folder, "dist/modules"),
      preserveModules: true,
      preserveModulesRoot: join(folder, "src"),
    },
  });
}

/**
 * What the first front door of a package with models needs at once, as two files that its other entries share: the models, which
 * browsers can load, and the rest. Read one by one, modules take most of an import's time. Packages whose entries share little
 * need none.
 */
function sharedChunks(folder, entries) {
  const [main, models] = ["index", "models"].map((name) => entries.find((entry) => entry.name === name));
  if (main === undefined || models === undefined) return [];
  const chunkOf = (name, { source }, priority) => {
    const file = resolve(folder, source);
    return { name, priority, test: (id) => id === file };
  };
  return [chunkOf("models", models, 2), chunkOf("main", main, 1)];
}

/** Declarations of isolated modules need no compiler; entries share them, so that a class is one type everywhere. */
async function bundleDeclarations(folder, entries) {
  await bundle(folder, entries, {
    plugins: [dts({ tsconfig: resolve(folder, "tsconfig.json"), oxc: true, emitDtsOnly: true })],
    output: { codeSplitting: { groups: [{ name: "shared.d", minShareCount: 2 }] } },
  });
}

async function bundle(folder, entries, { output, ...input }) {
  const build = await rolldown({
    input: Object.fromEntries(entries.map(({ name, source }) => [name, join(folder, source)])),
    platform: "node",
    external: isExternal,
    logLevel: "warn",
    // The declarations' maps are right, though a step of that plug-in hands none on; how long it takes depends on the machine.
    checks: { sourcemapBroken: false, pluginTimings: false },
    onLog: (level, log, handle) => handle(level === "warn" ? "error" : level, log),
    ...input,
  });
  const { output: written } = await build.write({
    dir: join(folder, "dist"),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    minifyInternalExports: false,
    ...output,
  });
  await build.close();
  return written;
}

/** Other packages and Node's modules stay outside; helpers of the bundler's own are part of the package. */
const isExternal = (id) => !id.startsWith(".") && !isAbsolute(id) && !id.startsWith("@oxc-project/runtime/");

const outputOf = (folder, { name }) => join(folder, "dist", `${name}.js`);

/** A digest of whatever the bundle is made of, the manifest and this program included. */
function stateOf(folder) {
  const sources = readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const settings = [join(folder, "package.json"), join(folder, "tsconfig.json"), "tsconfig.base.json"];
  const parts = [
    "bundle-packages.mjs",
    "bundle-page.mjs",
    "function-declarations.mjs",
    "hide-source-lines.mjs",
  ];
  const files = [...sources, ...settings, ...parts.map((part) => join(import.meta.dirname, part))];
  const hash = createHash("sha256").update(VERSION);
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

const rewrite = (file, change) => writeFileSync(file, change(readFileSync(file, "utf8")));

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
