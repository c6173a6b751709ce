import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage, type TableStorage } from "@partita/core";
import type { Contender } from "./compare.ts";
import type { Target } from "./report.ts";
import { type MeasuredServer, startAzurite, startOurServer } from "./scan-server.ts";

/** A table server in its own process, and a storage that connects to it. */
export interface Served {
  readonly name: string;
  readonly server: MeasuredServer;
  readonly storage: TableStorage;
}

/** Azurite in memory, and our server over memory and over a file. */
export interface Servers {
  readonly azurite: Served;
  readonly memory: Served;
  readonly file: Served;
  readonly all: readonly Served[];
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const path = join(tmpdir(), `partita-served-${process.pid}.db`);
  const azurite = await served("Azurite, in memory", await startAzurite());
  const memory = await served("Partita's server over memory", await startOurServer("memory:"));
  const file = await served("Partita's server over a file", await startOurServer(`file:${path}`));
  const all = [azurite, memory, file];
  return {
    azurite,
    memory,
    file,
    all,
    async stop() {
      for (const each of all) await stopServed(each);
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    },
  };
}

export async function served(name: string, server: MeasuredServer): Promise<Served> {
  const timeouts = { readMs: 120_000, writeMs: 120_000 };
  return { name, server, storage: await openStorage(server.connectionString, { timeouts }) };
}

export async function stopServed({ storage, server }: Served): Promise<void> {
  await storage.close();
  await server.stop();
}

/** Work with a server, counted by the CPU time of the server's process alone. */
export function atServer(
  { name, server, storage }: Served,
  work: (storage: TableStorage) => Promise<unknown>,
  target?: Target,
): Contender {
  return {
    name,
    run: () => work(storage),
    clock: async () => (await server.cpuMs()) * 1e6,
    ...(target !== undefined && { target }),
  };
}
