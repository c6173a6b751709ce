import { copyFile, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
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
type Package = (typeof packages)[number];

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
    await runWell(
      "pnpm",
      ["-r", "--filter", "./packages/*", "pack", "--pack-destination", folder],
      workspace,
    );
    for (const name of packages) {
      const target = join(modules, "@partita", name);
      await mkdir(target, { recursive: true });
      const tarball = join(folder, `partita-${name}-0.0.0.tgz`);
      await runWell("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
    }
    await link("core", "undici", modules);
    await link("testing", "fast-check", modules);
    await link("decorators", "reflect-metadata", modules);
    await mkdir(join(modules, "@opentelemetry"));
    await link("opentelemetry", "@opentelemetry/api", modules);
    await link("opentelemetry", "@opentelemetry/instrumentation", modules);
    await link("cli", "commander", modules);
  });
}

/** A project where npm installed the output of npm pack, as a user would. */
export async function installedProject(): Promise<PackedProject> {
  return projectWith(async (folder) => {
    const tarballs: string[] = [];
    for (const name of packages) tarballs.push(await pack(name, folder));
    await npmInstall(folder, tarballs);
  });
}

/** Installs packages without running their scripts. */
export async function npmInstall(folder: string, specs: readonly string[]): Promise<void> {
  await writeFile(join(folder, "package.json"), '{ "name": "packed", "private": true, "type": "module" }');
  await runWell("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...specs], folder);
}

/** Packs one package with npm into its own folder in the given one. Returns the tarball. */
export async function pack(name: Package, parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, "packed-"));
  await runWell("npm", ["pack", "--pack-destination", folder], join(workspace, "packages", name));
  const [tarball] = await readdir(folder);
  if (tarball === undefined) throw new Error(`npm pack created no file for @partita/${name}.`);
  return join(folder, tarball);
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
