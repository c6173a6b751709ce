import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { openStorage } from "@partita/core";
import { startTableServer } from "@partita/testing";

/** A table service in a process of its own, whose CPU time can be read. */
export interface MeasuredServer {
  readonly connectionString: string;
  /** Milliseconds of CPU time since the process began, of all its threads. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** Our table server over a storage. */
export async function startOurServer(target: string): Promise<MeasuredServer> {
  const child = fork(import.meta.filename, ["serve", target]);
  const [{ connectionString }] = (await once(child, "message")) as [{ connectionString: string }];
  return measured(child, connectionString);
}

/** Azurite in memory, as the tests run it. */
export async function startAzurite(): Promise<MeasuredServer> {
  const main = join(
    dirname(createRequire(import.meta.url).resolve("azurite/package.json")),
    "dist/src/table/main.js",
  );
  const port = await freePort();
  const args = ["--tableHost", "127.0.0.1", "--tablePort", String(port)];
  const child = fork(main, [...args, "--inMemoryPersistence", "--disableTelemetry", "--silent"], {
    // Loaded before it, this file answers for its CPU time.
    execArgv: ["--import", import.meta.filename],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const endpoint = `http://127.0.0.1:${port}/devstoreaccount1`;
  while ((await fetch(`${endpoint}/Tables`).catch(() => undefined)) === undefined)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return measured(
    child,
    `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${emulatorKey};TableEndpoint=${endpoint};`,
  );
}

/** Every emulator's. */
const emulatorKey =
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

function measured(child: ChildProcess, connectionString: string): MeasuredServer {
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
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
