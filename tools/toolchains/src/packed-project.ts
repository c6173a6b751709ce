import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runWell } from "./run.ts";

const workspace = join(import.meta.dirname, "../../..");

/** The packages as they would be published, in the order of who needs whom. */
const packages = ["core", "decorators", "testing"] as const;

/** A folder outside of the workspace with the packed packages in its `node_modules`. */
export interface PackedProject extends AsyncDisposable {
  readonly folder: string;
}

/** Packs every package into a folder. Returns the tarballs. */
export async function pack(folder: string): Promise<string[]> {
  const tarballs: string[] = [];
  for (const name of packages) {
    const cwd = join(workspace, "packages", name);
    const packed = JSON.parse(
      await runWell("pnpm", ["pack", "--json", "--pack-destination", folder], cwd),
    ) as {
      readonly filename: string;
    };
    tarballs.push(packed.filename);
  }
  return tarballs;
}

/**
 * Makes a project that has the packed packages and nothing else of the workspace. What they depend on is linked from the
 * workspace, so that no registry is asked.
 */
export async function packedProject(): Promise<PackedProject> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "partita-packed-"));
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@partita"), { recursive: true });
  const tarballs = await pack(folder);
  for (const [i, name] of packages.entries()) {
    const target = join(modules, "@partita", name);
    await mkdir(target);
    await runWell("tar", ["-xzf", tarballs[i] as string, "-C", target, "--strip-components=1"]);
  }
  await link("core", "undici", modules);
  await link("core", "fast-xml-parser", modules);
  await link("testing", "fast-check", modules);
  await link("decorators", "reflect-metadata", modules);
  await writeFile(join(folder, "package.json"), '{ "name": "packed", "private": true, "type": "module" }');
  await copyFile(join(import.meta.dirname, "../fixture/round-trip.mjs"), join(folder, "round-trip.mjs"));
  return {
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function link(from: (typeof packages)[number], name: string, modules: string): Promise<void> {
  const target = join(modules, name);
  await mkdir(dirname(target), { recursive: true });
  await symlink(await realpath(join(workspace, "packages", from, "node_modules", name)), target, "junction");
}
