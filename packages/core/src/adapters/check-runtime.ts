import { StorageError } from "../errors/storage-error.ts";

/** The oldest Node that runs this library. Source: the engines of undici 8, and `node:sqlite` without a flag. */
const oldestNode = [22, 19] as const;

/**
 * Checks that what runs this program is new enough for a storage.
 *
 * @throws StorageError `storage.node-version` naming what is needed and what was found
 */
export function checkRuntime(
  versions: Readonly<Record<string, string | undefined>> = process.versions,
): void {
  // Bun and Deno name the version of Node that they follow, which says little of what they have.
  if (versions["bun"] !== undefined || versions["deno"] !== undefined) return;
  const [major = 0, minor = 0] = (versions["node"] ?? "").split(".").map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  throw new StorageError(
    "storage.node-version",
    `Partita needs Node ${oldestNode.join(".")} or later; this program runs on ${nameOfRuntime(versions)}. Install a newer Node and run it with that.`,
    { applied: "no" },
  );
}

/** The runtime and its version, as people write it: `Node 22.19.0`. */
export function nameOfRuntime(
  versions: Readonly<Record<string, string | undefined>> = process.versions,
): string {
  if (versions["bun"] !== undefined) return `Bun ${versions["bun"]}`;
  if (versions["deno"] !== undefined) return `Deno ${versions["deno"]}`;
  return `Node ${versions["node"] ?? "of an unknown version"}`;
}
