import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../session/usage-error.ts";

/** An entry of `partita.config.json`: a target, or the environment variable that contains it. */
type NamedStorage = string | { readonly env: string } | { readonly url: string };

/** Names of storages, and the file they come from. */
export interface ConfigFile {
  readonly path: string;
  readonly storages: ReadonlyMap<string, NamedStorage>;
}

const fileName = "partita.config.json";

/** Finds `partita.config.json` in a folder or its nearest parent that has one. @throws UsageError */
export function findConfigFile(folder: string): ConfigFile | undefined {
  const path = join(folder, fileName);
  if (existsSync(path)) return { path, storages: storagesOf(path) };
  return dirname(folder) === folder ? undefined : findConfigFile(dirname(folder));
}

function storagesOf(path: string): ReadonlyMap<string, NamedStorage> {
  const found = parse(path) as { readonly storages?: unknown } | null;
  const storages = found?.storages;
  if (typeof storages !== "object" || storages === null || Array.isArray(storages))
    throw wrong(path, `has no "storages": ${example}`);
  for (const [name, storage] of Object.entries(storages))
    if (!isNamedStorage(storage))
      throw wrong(path, `gives no storage for ${JSON.stringify(name)}: ${example}`);
  return new Map(Object.entries(storages as Record<string, NamedStorage>));
}

const example =
  '{ "storages": { "local": "file:local.db", "prod": { "env": "PROD_STORAGE" }, "cloud": { "url": "https://account.table.core.windows.net" } } }';

/** The parser's own message would contain part of the text, which may be a key. */
function parse(path: string): unknown {
  try {
    // Windows editors start files with a byte order mark, which is not part of JSON.
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch {
    throw wrong(path, "is not JSON");
  }
}

function isNamedStorage(value: unknown): value is NamedStorage {
  if (typeof value === "string") return value !== "";
  if (typeof value !== "object" || value === null) return false;
  const { env, url, ...others } = value as Readonly<Record<string, unknown>>;
  return (
    Object.keys(others).length === 0 && [env, url].filter((text) => typeof text === "string").length === 1
  );
}

const wrong = (path: string, problem: string): UsageError => new UsageError(`${path} ${problem}.`);
