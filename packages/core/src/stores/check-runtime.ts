import { StorageError } from "../values/errors/storage-error.ts";

type Versions = Readonly<Record<string, string | undefined>>;

/**
 * The oldest versions that run this library. Node: the engines of undici 8, and `node:sqlite` without a flag. Bun: before
 * it, a request is sent again when its connection breaks, so that a write may be made twice.
 */
const oldest = { Node: [22, 19], Bun: [1, 4], Deno: [0, 0] } as const;

/**
 * Checks that what runs this program is new enough for a storage.
 *
 * @throws StorageError `storage.node-version` naming what is needed and what was found
 */
export function checkRuntime(versions: Versions = process.versions): void {
  const { name, version } = runtimeOf(versions);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldest[name];
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new StorageError(
    "storage.node-version",
    `Partita needs ${name} ${oldest[name].join(".")} or later; this program runs on ${name} ${version}. Install a newer ${name} and run it with that.`,
    { applied: "no" },
  );
}

/** The runtime and its version, as people write it: `Node 22.19.0`. */
export function nameOfRuntime(versions: Versions = process.versions): string {
  const { name, version } = runtimeOf(versions);
  return `${name} ${version}`;
}

/** Bun and Deno name the version of Node that they follow, too, which says little of what they have. */
function runtimeOf({ bun, deno, node = "0.0" }: Versions): {
  readonly name: keyof typeof oldest;
  readonly version: string;
} {
  if (bun !== undefined) return { name: "Bun", version: bun };
  if (deno !== undefined) return { name: "Deno", version: deno };
  return { name: "Node", version: node };
}
