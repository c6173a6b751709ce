import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { openStorage } from "@partita/core";
import { azuriteProgram } from "@partita/test-support/azurite";
import { startTableServer } from "@partita/server";

/** A table service in its own process, with readable CPU time. */
export interface MeasuredServer {
  readonly connectionString: string;
  /** Milliseconds of CPU time since the process started, of all its threads. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** Our table server over a storage. */
export async function startOurServer(target: string): Promise<MeasuredServer> {
  const child = fork(import.meta.filename, ["serve", target]);
  const [{ connectionString }] = (await once(child, "message")) as [{ connectionString: string }];
  return measured(child, connectionString);
}

/** Azurite in memory, as in the tests. */
export async function startAzurite(): Promise<MeasuredServer> {
  const { main, args, endpoint, connectionString } = await azuriteProgram();
  const child = fork(main, args, {
    // Loaded first, this file reports the server's CPU time. It reads the same sources as this process.
    execArgv: [...process.execArgv, "--import", import.meta.filename],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  while ((await fetch(`${endpoint}/Tables`).catch(() => undefined)) === undefined) {
    if (child.exitCode !== null) throw new Error("Azurite ended before it listened.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return measured(child, connectionString);
}

/** A server in a process that loads this file, and so reports its CPU time. */
export function measured(child: ChildProcess, connectionString: string): MeasuredServer {
  return {
    connectionString,
    async cpuMs() {
      child.send("cpu");
      const [ms] = (await once(child, "message")) as [number];
      return ms;
    },
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

if (process.send !== undefined) {
  process.on("message", (message) => {
    if (message !== "cpu") return;
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1000);
  });
  if (process.argv[1] === import.meta.filename) await serve(process.argv[3] ?? "memory:");
}

async function serve(target: string): Promise<void> {
  const storage = await openStorage(target, { durability: "normal" });
  const { connectionString } = await startTableServer({ storage });
  process.send?.({ connectionString });
}
