import { StorageError } from "../values/errors/storage-error.ts";

type Versions = Readonly<Record<string, string | undefined>>;

/**
 * The oldest supported versions. Node: required by undici 8, and for `node:sqlite` without a flag. Bun: earlier
 * versions resend a request when its connection breaks, so a write may be applied twice.
 */
const oldest = { Node: [22, 19], Bun: [1, 4], Deno: [0, 0] } as const;

/**
 * Checks that this program's runtime is recent enough.
 *
 * @throws StorageError `storage.node-version`, with the required and the present version
 */
export function checkRuntime(versions: Versions = process.versions): void {
  const { name, version } = runtimeOf(versions);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldest[name];
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new StorageError(
    "storage.node-version",
    `Partita needs ${name} ${oldest[name].join(".")} or later, but this program runs on ${name} ${version}. Install a newer ${name}, and run the program with it.`,
    { applied: "no" },
  );
}

/** The runtime and its version: `Node 22.19.0`. */
export function nameOfRuntime(versions: Versions = process.versions): string {
  const { name, version } = runtimeOf(versions);
  return `${name} ${version}`;
}

/** Bun and Deno also report a version of Node, which says little about their features. */
function runtimeOf({ bun, deno, node = "0.0" }: Versions): {
  readonly name: keyof typeof oldest;
  readonly version: string;
} {
  if (bun !== undefined) return { name: "Bun", version: bun };
  if (deno !== undefined) return { name: "Deno", version: deno };
  return { name: "Node", version: node };
}
