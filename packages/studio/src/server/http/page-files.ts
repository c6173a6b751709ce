import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Reads the page, which `pnpm bundle` builds, into memory. Later requests never access the disk. */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const manifest = createRequire(import.meta.url).resolve("@partita/studio/package.json");
  const folder = join(dirname(manifest), "dist", "page");
  const files = new Map<string, PageFile>();
  for (const name of await readdir(folder)) {
    const type = types[extname(name)];
    if (type !== undefined) files.set(name, { type, bytes: await readFile(join(folder, name)) });
  }
  return files;
}
