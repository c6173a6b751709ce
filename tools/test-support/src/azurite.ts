import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { freePort } from "./free-port.ts";

/** A running emulator. */
export interface Azurite {
  readonly connectionString: string;
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Every emulator's. */
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** How Azurite is started, and where it answers then. */
export interface AzuriteProgram {
  /** The file to run with Node. */
  readonly main: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly endpoint: string;
  readonly connectionString: string;
}

/** The table service of Azurite in memory, on a free port of this machine, without telemetry. */
export async function azuriteProgram(): Promise<AzuriteProgram> {
  const port = await freePort();
  const manifest = createRequire(import.meta.url).resolve("azurite/package.json");
  const endpoint = `http://127.0.0.1:${port}/devstoreaccount1`;
  return {
    main: join(dirname(manifest), "dist/src/table/main.js"),
    args: [
      "--tableHost",
      "127.0.0.1",
      "--tablePort",
      String(port),
      "--inMemoryPersistence",
      "--disableTelemetry",
      "--silent",
    ],
    port,
    endpoint,
    connectionString: `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};TableEndpoint=${endpoint};`,
  };
}

/** Starts Azurite, and waits until it answers. */
export async function startAzurite(): Promise<Azurite> {
  const { main, args, port, endpoint, connectionString } = await azuriteProgram();
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  await untilReady(child, port);
  return {
    endpoint,
    connectionString,
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Azurite says that it has started; what it prints before and after is not of interest. */
async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const { stdout } = child;
  if (stdout === null) throw new Error("Azurite's output is not read.");
  const started = new Promise<boolean>((resolve) => {
    let printed = "";
    stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.includes("successfully started")) resolve(true);
    });
    child.once("exit", () => resolve(false));
  });
  if (!(await started))
    throw new Error(`Azurite did not start on port ${port} (exit code ${child.exitCode}).`);
}
