import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runWell } from "./run.ts";

const workspace = join(import.meta.dirname, "../../..");
const fixture = join(import.meta.dirname, "../fixture");

/** The published packages. */
export const packages = [
  "core",
  "account",
  "page-blobs",
  "patterns",
  "json-schema",
  "maintenance",
  "transfer",
  "queues",
  "decorators",
  "eslint-plugin",
  "server",
  "testing",
  "cli",
  "workflows",
  "files",
  "opentelemetry",
  "studio",
] as const;
export type Package = (typeof packages)[number];

/**
 * A project outside the workspace with the packed packages in its `node_modules`, and programs that use them.
 */
export interface PackedProject extends AsyncDisposable {
  readonly folder: string;
}

/**
 * A project with the unpacked packages. Their dependencies are linked from the workspace, so no registry is
 * needed.
 */
export async function unpackedProject(): Promise<PackedProject> {
  return projectWith(async (folder) => {
    const modules = join(folder, "node_modules");
    for (const [name, tarball] of await packAll(folder)) {
      const target = join(modules, "@partita", name);
      await mkdir(target, { recursive: true });
      await runWell("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
    }
    await link("core", "undici", modules);
    await link("testing", "fast-check", modules);
    await link("decorators", "reflect-metadata", modules);
    await mkdir(join(modules, "@opentelemetry"));
    await link("opentelemetry", "@opentelemetry/api", modules);
    await link("opentelemetry", "@opentelemetry/instrumentation", modules);
    await link("cli", "commander", modules);
    await link("files", "iconv-lite", modules);
  });
}

/** A project where npm installed the packed packages, as a user would. */
export async function installedProject(): Promise<PackedProject> {
  return projectWith(async (folder) => {
    await npmInstall(folder, [...(await packAll(folder)).values()]);
  });
}

/** Installs packages without running their scripts. */
export async function npmInstall(folder: string, specs: readonly string[]): Promise<void> {
  await writeFile(join(folder, "package.json"), '{ "name": "packed", "private": true, "type": "module" }');
  await runWell("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...specs], folder);
}

/** Packs every package into a folder, as a release does. Returns the tarballs. */
export async function packAll(folder: string): Promise<ReadonlyMap<Package, string>> {
  await runWell("pnpm", ["-r", "--filter", "./packages/*", "pack", "--pack-destination", folder], workspace);
  return new Map(packages.map((name) => [name, join(folder, `partita-${name}-0.0.0.tgz`)]));
}

async function projectWith(fill: (folder: string) => Promise<void>): Promise<PackedProject> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "partita-packed-"));
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await fill(folder);
    await writeFile(join(folder, "package.json"), '{ "name": "packed", "private": true, "type": "module" }');
    for (const program of ["round-trip.mjs", "send-once.mjs", "in-browser.mjs", "required.cjs"])
      await copyFile(join(fixture, program), join(folder, program));
  } catch (error) {
    await dispose();
    throw error;
  }
  return { folder, [Symbol.asyncDispose]: dispose };
}

async function link(from: Package, name: string, modules: string): Promise<void> {
  const target = await realpath(join(workspace, "packages", from, "node_modules", name));
  await symlink(target, join(modules, name), "junction");
}
