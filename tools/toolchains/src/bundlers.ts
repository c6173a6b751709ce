import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import commonjsPlugin from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build as esbuild, type Format } from "esbuild";
import { rolldown } from "rolldown";
import { type ModuleFormat, type Plugin, rollup } from "rollup";
import { build as vite } from "vite";
import webpack from "webpack";

/** A bundler with a typical setup: the output contains everything except Node's own modules. */
export interface Bundler {
  readonly name: string;
  readonly version: string;
  readonly format: "ESM" | "CommonJS";
  /** Required settings in addition to the entry, for the guide. */
  readonly settings: string;
  /** Bundles a program, a file `*.mjs`, into an empty folder. Returns the file to run. */
  readonly bundle: (entry: string, folder: string) => Promise<string>;
}

// Its declarations are for CommonJS, where the default export is one level deeper.
const commonjs = commonjsPlugin as unknown as () => Plugin;

const versionOf = (name: string): string =>
  (createRequire(import.meta.url)(`${name}/package.json`) as { readonly version: string }).version;

export const bundlers: readonly Bundler[] = [
  withEsbuild("ESM", "esm"),
  withEsbuild("CommonJS", "cjs"),
  withRollup("ESM", "es"),
  withRollup("CommonJS", "cjs"),
  withRolldown("ESM", "es"),
  withRolldown("CommonJS", "cjs"),
  {
    name: "Vite",
    version: versionOf("vite"),
    format: "ESM",
    settings: "`build.ssr`, `ssr.noExternal: true`",
    async bundle(entry, folder) {
      await vite({
        root: dirname(entry),
        configFile: false,
        logLevel: "error",
        ssr: { noExternal: true },
        build: { ssr: entry, outDir: folder, emptyOutDir: false },
      });
      return bundleOf(entry, folder);
    },
  },
  withWebpack("ESM"),
  withWebpack("CommonJS"),
];

function withEsbuild(format: Bundler["format"], output: Format): Bundler {
  return {
    name: "esbuild",
    version: versionOf("esbuild"),
    format,
    settings: '`platform: "node"`',
    async bundle(entry, folder) {
      const outfile = join(folder, nameOf(entry) + (format === "ESM" ? ".mjs" : ".cjs"));
      await esbuild({
        entryPoints: [entry],
        outfile,
        bundle: true,
        format: output,
        platform: "node",
        logLevel: "error",
      });
      return outfile;
    },
  };
}

function withRollup(format: Bundler["format"], output: ModuleFormat): Bundler {
  return {
    name: "Rollup",
    version: versionOf("rollup"),
    format,
    settings: "plugins: node-resolve (`preferBuiltins: true`), commonjs",
    async bundle(entry, folder) {
      const bundle = await rollup({
        input: entry,
        plugins: [nodeResolve({ preferBuiltins: true }), commonjs()],
        onwarn: () => undefined,
      });
      await bundle.write({ dir: folder, format: output, ...namesFor(format) });
      await bundle.close();
      return bundleOf(entry, folder);
    },
  };
}

function withRolldown(format: Bundler["format"], output: "es" | "cjs"): Bundler {
  return {
    name: "Rolldown",
    version: versionOf("rolldown"),
    format,
    settings: '`platform: "node"`',
    async bundle(entry, folder) {
      const bundle = await rolldown({ input: entry, platform: "node", logLevel: "silent" });
      await bundle.write({ dir: folder, format: output, ...namesFor(format) });
      await bundle.close();
      return bundleOf(entry, folder);
    },
  };
}

function withWebpack(format: Bundler["format"]): Bundler {
  return {
    name: "webpack",
    version: versionOf("webpack"),
    format,
    settings: format === "ESM" ? '`target: "node"`, `experiments.outputModule`' : '`target: "node"`',
    bundle(entry, folder) {
      const esm = {
        experiments: { outputModule: true },
        output: { module: true, library: { type: "module" } },
      };
      const { experiments, output } = format === "ESM" ? esm : { experiments: {}, output: {} };
      const extension = format === "ESM" ? "mjs" : "cjs";
      const compiler = webpack({
        mode: "production",
        target: "node22.19",
        context: dirname(entry),
        entry: { [nameOf(entry)]: entry },
        experiments,
        output: {
          ...output,
          path: folder,
          filename: `[name].${extension}`,
          chunkFilename: `[name].${extension}`,
        },
        optimization: { minimize: false },
      });
      return new Promise((resolve, reject) => {
        compiler.run((error, stats) => {
          const failure =
            error ?? (stats?.hasErrors() === true ? new Error(stats.toString("errors-only")) : undefined);
          compiler.close(() => (failure === undefined ? resolve(bundleOf(entry, folder)) : reject(failure)));
        });
      });
    },
  };
}

/** The extension sets the module form of a file in any folder. */
function namesFor(format: Bundler["format"]): {
  readonly entryFileNames: string;
  readonly chunkFileNames: string;
} {
  const extension = format === "ESM" ? "mjs" : "cjs";
  return { entryFileNames: `[name].${extension}`, chunkFileNames: `[name]-[hash].${extension}` };
}

const nameOf = (entry: string): string => basename(entry, ".mjs");

/** The output file of a bundler for an entry. */
async function bundleOf(entry: string, folder: string): Promise<string> {
  const bundle = (await readdir(folder)).find((file) => /^(.+)\.[cm]?js$/.exec(file)?.[1] === nameOf(entry));
  if (bundle === undefined) throw new Error(`Nothing was written to ${folder}.`);
  return join(folder, bundle);
}
