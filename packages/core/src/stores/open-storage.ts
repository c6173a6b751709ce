import { fileURLToPath } from "node:url";
import { checkRuntime } from "./check-runtime.ts";
import { restChecks, type RestOptions } from "./azure/rest-options.ts";
import { logAsEnvironmentSays } from "../storage/tracing/log-activity.ts";
import { describeType } from "../values/errors/serialization-error.ts";
import { StorageError } from "../values/errors/storage-error.ts";
import { accepted, oneOf, wholeNumber } from "../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../values/options/define-options.ts";
import { prefixTables } from "../storage/prefix-tables.ts";
import type { TableStorage } from "../storage/table-storage.ts";

/** Options of `openStorage`; each kind of storage uses those that apply to it. */
export interface OpenOptions extends RestOptions {
  /**
   * A prefix for every table name. With it, several applications or test runs can share one storage.
   *
   * ```ts
   * const storage = await openStorage("file:data.db", { tablePrefix: "test" });
   * ```
   */
  readonly tablePrefix?: string | undefined;
  /**
   * Embedded only. `full` (default): writes are durable when their promise resolves. `normal`: they survive a crash of
   * the process only.
   *
   * ```ts
   * const storage = await openStorage("file:data.db", { durability: "normal" });
   * ```
   */
  readonly durability?: "full" | "normal" | undefined;
  /**
   * Embedded only: how long to wait for another process's lock, in milliseconds; default 5000.
   *
   * ```ts
   * const storage = await openStorage("file:data.db", { busyTimeoutMs: 30_000 });
   * ```
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * PostgreSQL only: maximum number of connections, 1 or more; default 10.
   *
   * ```ts
   * // Needs a PostgreSQL server.
   * const storage = await openStorage("postgres://app@localhost/shop", { maxConnections: 4 });
   * ```
   */
  readonly maxConnections?: number | undefined;
  /**
   * PostgreSQL only: how long a request waits for a free connection, in milliseconds; default 10,000.
   *
   * ```ts
   * // Needs a PostgreSQL server.
   * const storage = await openStorage("postgres://app@localhost/shop", { waitMs: 2000 });
   * ```
   */
  readonly waitMs?: number | undefined;
  /**
   * PostgreSQL only: how long the server may take for a request, in milliseconds; default 30,000.
   *
   * ```ts
   * // Needs a PostgreSQL server.
   * const storage = await openStorage("postgres://app@localhost/shop", { timeoutMs: 5000 });
   * ```
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * Opens a storage. The target is `file:path` for an embedded database file or `memory:` for one that ends with the
 * process. For Azure Table Storage, Cosmos DB for Table and Azurite (`UseDevelopmentStorage=true`), it is a connection
 * string or the URL of the table endpoint. Pass a `credential` with the URL, or end it with a shared access signature.
 * For PostgreSQL, it is `postgres://user@host/database`; install `@partita/postgres` for it.
 *
 * ```ts
 * await using storage = await openStorage("file:data.db");
 * const context = new TableContext(storage);
 * ```
 *
 * @throws OptionError `storage.option`; StorageError `storage.unknown-target`, `storage.connection-string`,
 *   `storage.node-version`, `storage.postgres-missing`, or the reason why the storage cannot be opened
 */
export async function openStorage(target: string, options: OpenOptions = {}): Promise<TableStorage> {
  checkRuntime();
  checkTarget(target);
  checkOptions(options);
  await logAsEnvironmentSays();
  const storage = await openKind(target, options);
  return options.tablePrefix === undefined ? storage : prefixTables(storage, options.tablePrefix);
}

function openKind(target: string, options: OpenOptions): Promise<TableStorage> {
  if (isService(target)) return openService(target, options);
  return isPostgres(target) ? openDatabase(target, options) : openFile(target, options);
}

const checkOptions: CheckOptions = defineOptions<OpenOptions>(
  "openStorage(target, options)",
  {
    tablePrefix: accepted(
      "a letter, and then up to 59 letters and digits",
      (value) => typeof value === "string" && /^[A-Za-z][A-Za-z0-9]{0,59}$/.test(value),
    ),
    durability: oneOf("full", "normal"),
    busyTimeoutMs: accepted("milliseconds, 0 or more", (ms) => typeof ms === "number" && ms >= 0),
    maxConnections: wholeNumber(1),
    waitMs: wholeNumber(1),
    timeoutMs: wholeNumber(1),
    ...restChecks,
  },
  "storage.option",
);

function checkTarget(target: unknown): void {
  if (typeof target !== "string")
    throw unknownTarget(`openStorage(target) takes a text, but got ${describeType(target)}`, isUnset(target));
  if (target.trim() === "") throw unknownTarget("openStorage(target) got an empty text", true);
  if (/^["']/.test(target))
    throw unknownTarget("The storage target begins with a quotation mark, which is not part of it");
}

const isUnset = (target: unknown): boolean => target === undefined || target === null;

/** Each adapter is loaded when it is first used: importing this package loads neither SQLite nor a network client. */
async function openService(target: string, options: OpenOptions): Promise<TableStorage> {
  const { openRest } = await import("./azure/rest-storage.ts");
  return openRest(target, options);
}

async function openFile(target: string, options: OpenOptions): Promise<TableStorage> {
  const path = pathOf(target);
  const { openEmbedded } = await import("./embedded/embedded-storage.ts");
  return openEmbedded(path, options);
}

/** The entry of `@partita/postgres`, which depends on this package. */
interface PostgresModule {
  readonly openPostgres: (
    target: string,
    options: Pick<OpenOptions, "maxConnections" | "waitMs" | "timeoutMs">,
  ) => Promise<TableStorage>;
}

async function openDatabase(
  target: string,
  { maxConnections, waitMs, timeoutMs }: OpenOptions,
): Promise<TableStorage> {
  // Not a literal, so neither bundlers nor compilers need the package.
  const name: string = "@partita/postgres";
  let loaded: PostgresModule;
  try {
    loaded = (await import(/* @vite-ignore */ name)) as PostgresModule;
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    if (!code.endsWith("MODULE_NOT_FOUND") || !message.includes(name)) throw cause;
    throw new StorageError(
      "storage.postgres-missing",
      `A postgres:// target needs the package ${name}. Install it: npm install ${name}`,
      { applied: "no" },
      { cause },
    );
  }
  return loaded.openPostgres(target, { maxConnections, waitMs, timeoutMs });
}

const isPostgres = (target: string): boolean => /^postgres(?:ql)?:/i.test(target);

/** True for connection strings (Name=Value) and web URLs. */
const isService = (target: string): boolean => /^(?:[A-Za-z]+=|https?:\/\/)/i.test(target);

function pathOf(target: string): string {
  if (target === "memory:") return ":memory:";
  const path = fileOf(target);
  if (path !== undefined) return path;
  throw unknownTarget("This storage target is not known");
}

/** The path of a target that is a file; undefined for another target. */
export function fileOf(target: string): string | undefined {
  const path = target.startsWith("file://")
    ? pathOfUrl(target)
    : target.startsWith("file:")
      ? target.slice("file:".length)
      : undefined;
  return path === "" ? undefined : path;
}

/** The message doesn't repeat the target, since it may be a connection string with a key in it. */
const unknownTarget = (problem: string, isMissing = false): StorageError =>
  new StorageError(
    "storage.unknown-target",
    `${problem}.${isMissing ? " If it comes from an environment variable, that variable is not set." : ""}` +
      ' Use "file:path.db" for a file, "memory:" for a store that ends with the process, "postgres://user@host/database" for PostgreSQL, "UseDevelopmentStorage=true" for' +
      " an emulator on this machine, a connection string (AccountName=…;AccountKey=…), or the URL of a table endpoint.",
    { applied: "no" },
  );

function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
