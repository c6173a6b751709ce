import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import * as core from "@partita/core";
import * as keys from "@partita/core/keys";
import * as patterns from "@partita/patterns";
import * as queues from "@partita/queues";
import * as transfer from "@partita/transfer";
import * as upgrades from "@partita/core/upgrades";
import * as decorators from "@partita/decorators";
import * as files from "@partita/files";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import * as workflows from "@partita/workflows";
import { build } from "esbuild";

/** The bundle of a library that uses the packages: all of them, each under its own name. */
const entry = `
export * as core from "@partita/core";
export * as keys from "@partita/core/keys";
export * as patterns from "@partita/patterns";
export * as queues from "@partita/queues";
export * as transfer from "@partita/transfer";
export * as upgrades from "@partita/core/upgrades";
export * as decorators from "@partita/decorators";
export * as files from "@partita/files";
export * as workflows from "@partita/workflows";
`;

const installed = { core, keys, patterns, queues, transfer, upgrades, decorators, files, workflows };

/** One copy of the packages. */
export type Copy = typeof installed;

/** Copies of the packages in one program. */
export interface Copies extends AsyncDisposable {
  /** The packages that a program resolves. */
  readonly installed: Copy;
  /** The same version in a library's bundle. esbuild has renamed classes in it. */
  readonly bundled: Copy;
  /** The same in a minified bundle. */
  readonly minified: Copy;
  /** A bundle with another contract. */
  readonly unfit: Copy;
  /** The files of the two bundles, for comparing messages. */
  readonly urls: { readonly bundled: string; readonly unfit: string };
}

/** Bundles the packages, and loads the bundles together with the packages themselves. */
export async function loadCopies(): Promise<Copies> {
  const folder = await temporaryFolder();
  const [bundled, minified] = [folder.file("bundled.mjs"), folder.file("minified.mjs")];
  const unfit = folder.file("unfit.mjs");
  await bundle(bundled, { minify: false });
  await bundle(minified, { minify: true });
  const text = await readFile(bundled, "utf8");
  const raised = text.replace(/\bcontract(\d*) = 1;/, "contract$1 = 2;");
  if (raised === text) throw new Error("The bundle no longer contains its contract in the known form.");
  await writeFile(unfit, raised);
  const urls = { bundled: pathToFileURL(bundled).href, unfit: pathToFileURL(unfit).href };
  return {
    installed,
    bundled: (await import(/* @vite-ignore */ urls.bundled)) as Copy,
    minified: (await import(/* @vite-ignore */ pathToFileURL(minified).href)) as Copy,
    unfit: (await import(/* @vite-ignore */ urls.unfit)) as Copy,
    urls,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function bundle(outfile: string, { minify }: { readonly minify: boolean }): Promise<void> {
  await build({
    stdin: { contents: entry, resolveDir: import.meta.dirname },
    outfile,
    minify,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
}
