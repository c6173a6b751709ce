import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { chown, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openStorage, StorageError, type TableStorage } from "@partita/core";
import type { ContinuationToken, StoredEntity, WriteOperation } from "@partita/core/storage";
import { certificate } from "@partita/test-support/certificate";
import { freePort } from "@partita/test-support/free-port";
import { hasPostgres, type PostgresServer, startPostgres } from "@partita/test-support/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initPostgres, openPostgres, openPostgresPool } from "../src/index.ts";

/** Parts of texts that no message may contain: passwords, keys and values of the rows below. */
const secrets = ["secret", "hunter2", "12/34", "key-of-row", "value-of-row"];

const insert = (rowKey: string, text = "value-of-row"): WriteOperation => ({
  type: "insert",
  entity: { PartitionKey: "key-of-row", RowKey: `key-of-row ${rowKey}`, text },
});

/** The failure of a call, which has no secrets. */
async function failureOf(call: () => Promise<unknown>): Promise<StorageError> {
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!StorageError.is(error)) throw new Error("Expected a StorageError", { cause: error });
  for (const text of [error.message, JSON.stringify(error), String(error.cause)])
    for (const secret of secrets) expect(text).not.toContain(secret);
  return error;
}

interface Failure {
  readonly name: string;
  readonly call: () => Promise<unknown>;
  readonly code: string;
  /** A part of the message. */
  readonly remedy: string;
  readonly applied?: "maybe";
}

describe.runIf(hasPostgres)("errors", () => {
  let server: PostgresServer;
  let admin: pg.Client;
  beforeAll(async () => {
    server = await startPostgres({ needsPassword: true, settings: { max_connections: "30" } });
    admin = new pg.Client({ connectionString: server.target() });
    await admin.connect();
    await initPostgres(server.target());
    await using storage = await openPostgres(server.target());
    await storage.createTable("Rows");
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  /** A target of the server's database, with another role, database or query. */
  const target = (parts: { role?: string; database?: string; query?: string } = {}): string => {
    const { role = "postgres:secret", database = "postgres", query = "" } = parts;
    return `postgres://${role}@127.0.0.1:${server.port}/${database}${query}`;
  };

  /** Creates a role with the rights to read and write, and with settings. */
  async function createRole(name: string, settings: Readonly<Record<string, string>> = {}): Promise<string> {
    await admin.query(`create role ${name} login password 'hunter2'`);
    const { grantsFor } = await initPostgres(server.target());
    await admin.query(grantsFor(name).join("\n"));
    for (const [key, value] of Object.entries(settings))
      await admin.query(`alter role ${name} set ${key} = '${value}'`);
    return `${name}:hunter2`;
  }

  async function using(
    opening: Promise<TableStorage>,
    use: (storage: TableStorage) => Promise<unknown>,
  ): Promise<void> {
    await using storage = await opening;
    await use(storage);
  }

  async function exec(...statements: string[]): Promise<void> {
    for (const statement of statements) await admin.query(statement);
  }

  const failures: Failure[] = [
    {
      name: "a wrong password",
      call: () => openPostgres(target({ role: "postgres:hunter2" })),
      code: "storage.postgres-access",
      remedy: "Check user and password",
    },
    {
      name: "no password",
      call: () => openPostgres(target({ role: "postgres" })),
      code: "storage.postgres-access",
      remedy: "It asks for a password",
    },
    {
      name: "a role that does not exist",
      call: () => openPostgres(target({ role: "nobody:hunter2" })),
      code: "storage.postgres-access",
      remedy: "Check user and password",
    },
    {
      name: "a missing database",
      call: () => openPostgres(target({ database: "missing" })),
      code: "storage.postgres-database",
      remedy: "Create the database",
    },
    {
      name: "a missing schema",
      call: () => openPostgres(target({ query: "?schema=missing" })),
      code: "storage.postgres-schema",
      remedy: "partita postgres init",
    },
    {
      name: "a schema of a newer version",
      call: async () => {
        await initPostgres(target({ query: "?schema=newer" }));
        await exec(
          "create or replace function newer.schema_version() returns int language sql immutable as 'select 99'",
        );
        await openPostgres(target({ query: "?schema=newer" }));
      },
      code: "storage.postgres-schema",
      remedy: "install the newer one",
    },
    {
      name: "creating a schema that is newer",
      call: () => initPostgres(target({ query: "?schema=newer" })),
      code: "storage.postgres-schema",
      remedy: "install the newer one",
    },
    {
      name: "a role without rights",
      call: async () => {
        await exec("create role stranger login password 'hunter2'");
        await openPostgres(target({ role: "stranger:hunter2" }));
      },
      code: "storage.postgres-access",
      remedy: "--grant-to <role>",
    },
    {
      name: "a role that may only read",
      call: async () => {
        await exec(
          "create role reader login password 'hunter2'",
          "grant usage on schema partita to reader",
          "grant select on all tables in schema partita to reader",
        );
        await using(openPostgres(target({ role: "reader:hunter2" })), async (storage) => {
          await storage.query("Rows", {});
          await storage.write("Rows", insert("reader"));
        });
      },
      code: "storage.postgres-access",
      remedy: "--grant-to <role>",
    },
    {
      name: "a role that may not create the schema",
      call: async () => initPostgres(target({ role: await createRole("writer"), query: "?schema=other" })),
      code: "storage.postgres-access",
      remedy: "lacks a right",
    },
    {
      name: "a database of another encoding",
      call: async () => {
        await exec("create database latin template template0 encoding 'LATIN1' locale 'C'");
        await initPostgres(target({ database: "latin" }));
      },
      code: "storage.postgres-encoding",
      remedy: "encoding UTF8",
    },
    {
      name: "TLS that the server requires",
      call: async () => {
        await enableTls();
        await openPostgres(target({ database: "tls_only" }));
      },
      code: "storage.postgres-access",
      remedy: "sslmode=verify-full",
    },
    {
      name: "a certificate that nobody vouches for",
      call: () => openPostgres(target({ database: "tls_only", query: "?sslmode=verify-full" })),
      code: "storage.postgres-access",
      remedy: "sslrootcert",
    },
    {
      name: "a certificate authority in a missing file",
      call: () => openPostgres(target({ query: "?sslmode=verify-full&sslrootcert=/missing.pem" })),
      code: "storage.unknown-target",
      remedy: "ENOENT",
    },
    {
      name: "TLS that the server does not offer",
      call: async () => {
        await exec("alter system set ssl = off", "select pg_reload_conf()");
        await untilShown("ssl", "off");
        await openPostgres(target({ query: "?sslmode=verify-full" }));
      },
      code: "storage.postgres-access",
      remedy: "does not offer TLS",
    },
    ...[
      ["a target without a database", "postgres://app:secret@host", "names no database"],
      ["a port that is not a number", "postgres://app:secret/hunter2@host/db", "not a URL"],
      ["a slash in the password", "postgres://app:12/34@host/db", "percent-encoded"],
      ["a percent sign in the password", "postgres://app:secret%@host/db", "percent-encoded"],
      ["a schema that needs quotation marks", "postgres://app:secret@host/db?schema=A-b", "lower-case"],
    ].map(([name = "", text = "", remedy = ""]) => ({
      name,
      call: () => openStorage(text),
      code: "storage.unknown-target",
      remedy,
    })),
    {
      name: "a server that does not run",
      call: async () => openPostgres(`postgres://app:secret@127.0.0.1:${await freePort()}/db`),
      code: "storage.connection-lost",
      remedy: "Check that the server runs",
    },
    {
      name: "too many connections to the server",
      call: async () => {
        const role = await createRole("many");
        const others: pg.Client[] = [];
        try {
          await fill(target({ role }), others);
          await openPostgres(target({ role }));
        } finally {
          await Promise.all(others.map((client) => client.end()));
        }
      },
      code: "storage.server-busy",
      remedy: "max_connections",
    },
    {
      name: "a pool whose connections are all in use",
      call: () =>
        using(openPostgres(target(), { maxConnections: 1, waitMs: 300 }), async (storage) => {
          const held = holdRow("pool");
          await held.taken;
          const waiting = storage.write("Rows", insert("pool"));
          try {
            await storage.write("Rows", insert("pool 2"));
          } finally {
            await held.release();
            await waiting;
          }
        }),
      code: "storage.server-busy",
      remedy: "maxConnections or waitMs",
    },
    {
      name: "a database that is read-only for the role",
      call: async () => {
        const role = await createRole("guest", { default_transaction_read_only: "on" });
        await using(openPostgres(target({ role })), (storage) => storage.write("Rows", insert("guest")));
      },
      code: "storage.read-only",
      remedy: "primary server",
    },
    {
      name: "a statement_timeout of the role",
      call: async () => {
        const role = await createRole("hasty", { statement_timeout: "300ms" });
        await whileHeld("hasty", openPostgres(target({ role })), (storage) =>
          storage.write("Rows", insert("hasty")),
        );
      },
      code: "storage.timeout",
      remedy: "Raise that limit",
    },
    {
      name: "a lock_timeout of the role",
      call: async () => {
        const role = await createRole("locked", { lock_timeout: "300ms" });
        await whileHeld("locked", openPostgres(target({ role })), (storage) =>
          storage.write("Rows", insert("locked")),
        );
      },
      code: "storage.server-busy",
      remedy: "Try again later",
    },
    {
      name: "a row that another session holds for longer than timeoutMs",
      call: () =>
        whileHeld("slow", openPostgres(target(), { timeoutMs: 300 }), (storage) =>
          storage.write("Rows", insert("slow")),
        ),
      code: "storage.timeout",
      remedy: "longer timeoutMs",
    },
    {
      name: "a pool that the program ended",
      call: async () => {
        const pool = new pg.Pool({ connectionString: target() });
        await using storage = await openPostgresPool(pool, { timeoutMs: 500 });
        await pool.end();
        await storage.write("Rows", insert("ended"));
      },
      code: "storage.closed",
      remedy: "End it after the storage",
    },
    {
      name: "a token with a character that PostgreSQL cannot hold",
      call: () =>
        using(openPostgres(target()), (storage) =>
          storage.query("Rows", { after: "1:a\0" as ContinuationToken }),
        ),
      code: "storage.invalid-input",
      remedy: "token of this store",
    },
    {
      name: "a server that is killed during a write",
      call: () =>
        whileHeld("killed", openPostgres(target()), async (storage) => {
          const failed = failureOf(() => storage.write("Rows", insert("killed")));
          await untilWaiting();
          await exec(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`);
          throw await failed;
        }),
      code: "storage.connection-lost",
      remedy: "Check that the server runs",
      applied: "maybe",
    },
  ];

  test.each(failures)("$name", async ({ call, code, remedy, applied = "no" }) => {
    const error = await failureOf(call);

    expect([error.code, error.applied]).toEqual([code, applied]);
    expect(error.message).toContain(remedy);
  });

  /** Another session inserts a row, and does not commit. */
  function holdRow(rowKey: string): { taken: Promise<unknown>; release: () => Promise<void> } {
    const client = new pg.Client({ connectionString: target() });
    const text = `select * from partita.write('Rows', 'key-of-row', $1, 'i', null, null, '{}', null)`;
    const taken = client
      .connect()
      .then(() => client.query("begin"))
      .then(() => client.query(text, [`key-of-row ${rowKey}`]));
    return {
      taken,
      async release() {
        await client.query("rollback");
        await client.end();
      },
    };
  }

  async function whileHeld(
    rowKey: string,
    opening: Promise<TableStorage>,
    use: (storage: TableStorage) => Promise<unknown>,
  ): Promise<void> {
    const held = holdRow(rowKey);
    await held.taken;
    try {
      await using(opening, use);
    } finally {
      await held.release();
    }
  }

  /** Connects until the server refuses. Connections of earlier tests may still be ending, so it tries for a while. */
  async function fill(connectionString: string, clients: pg.Client[]): Promise<void> {
    for (let refusals = 0; refusals < 5;) {
      const client = new pg.Client({ connectionString });
      try {
        await client.connect();
        clients.push(client);
      } catch {
        refusals++;
        await setTimeout(50);
      }
    }
  }

  async function untilWaiting(): Promise<void> {
    for (;;) {
      const { rowCount } = await admin.query("select from pg_stat_activity where wait_event_type = 'Lock'");
      if (rowCount !== 0) return;
    }
  }

  /** The database `tls_only` then refuses connections without TLS. */
  async function enableTls(): Promise<void> {
    const files = { "server.crt": certificate.cert, "server.key": certificate.key };
    for (const [name, text] of Object.entries(files)) {
      const path = join(server.data, name);
      await writeFile(path, text, { mode: 0o600 });
      const { uid, gid } = serverUser();
      await chown(path, uid, gid);
    }
    const access = join(server.data, "pg_hba.conf");
    await writeFile(access, `hostnossl tls_only all all reject\n${await readFile(access, "utf8")}`);
    await exec("create database tls_only", "alter system set ssl = on", "select pg_reload_conf()");
    await untilShown("ssl", "on");
  }

  async function untilShown(setting: string, value: string): Promise<void> {
    for (;;) {
      const client = new pg.Client({ connectionString: target() });
      await client.connect();
      const { rows } = await client.query<{ current_setting: string }>("select current_setting($1)", [
        setting,
      ]);
      await client.end();
      if (rows[0]?.current_setting === value) return;
    }
  }

  /** The user of the server's process. */
  const serverUser = (): { uid: number; gid: number } =>
    process.getuid?.() === 0
      ? { uid: 65_534, gid: 65_534 }
      : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

  test("a refused login leaves no connection, which would keep the process alive", async () => {
    await failureOf(() => openPostgres(target({ role: "postgres" })));

    const sockets = (): string[] =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap");
    // One is that of the superuser.
    await expect.poll(sockets).toHaveLength(1);
  });

  test("the printed grants are enough to use tables, but not to change the schema", async () => {
    const role = await createRole("app");
    await using storage = await openPostgres(target({ role }));
    await storage.createTable("Own");
    await storage.write("Own", insert("a"));
    await storage.transact("Own", [insert("b"), insert("c")]);
    expect((await storage.query("Own", {})).entities).toHaveLength(3);
    await storage.deleteTable("Own");
    expect(await storage.listTables()).toEqual(["Rows"]);

    const { code } = await failureOf(() => initPostgres(target({ role })));
    expect(code).toBe("storage.postgres-access");
  });

  const folder = mkdtempSync(join(tmpdir(), "partita-full-"));
  /** Only root can mount a small file system; on other machines, no disk is small enough to fill. */
  const canMount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder]).status === 0;
  afterAll(() => {
    if (canMount) spawnSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf(!canMount)("a full disk refuses writes, and then accepts deletes", async () => {
    const { uid, gid } = serverUser();
    chownSync(folder, uid, gid);
    await initPostgres(target({ query: "?schema=small" }));
    await exec(`create tablespace small location '${folder}'`, "alter table small.rows set tablespace small");
    await using storage = await openPostgres(target({ query: "?schema=small" }));
    await storage.createTable("Rows");
    // Text that does not shrink when PostgreSQL compresses it.
    const text = Array.from({ length: 30_000 }, (_, i) =>
      String.fromCharCode(32 + ((i * i * 7919) % 9973)),
    ).join("");
    let stored = 0;

    const error = await failureOf(async () => {
      for (; stored < 1000; stored++)
        await storage.write("Rows", insert(String(stored).padStart(4, "0"), text));
    });

    expect([error.code, error.applied]).toEqual(["storage.full", "no"]);
    const keys: StoredEntity[] = [];
    let after: { after?: ContinuationToken } | undefined = {};
    while (after !== undefined) {
      const { entities, next } = await storage.query("Rows", { select: [], ...after });
      keys.push(...entities);
      after = next === undefined ? undefined : { after: next };
    }
    expect(keys).toHaveLength(stored);
    for (const { PartitionKey, RowKey } of keys)
      await storage.write("Rows", {
        type: "delete",
        key: { partitionKey: PartitionKey, rowKey: RowKey },
        etag: "*",
      });
    await storage.close();
    await exec("drop schema small cascade", "drop schema small_views cascade", "drop tablespace small");
  });
});
