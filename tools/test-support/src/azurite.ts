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

/** The same for every emulator. */
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** The program of Azurite, and its address. */
export interface AzuriteProgram {
  /** The file to run with Node. */
  readonly main: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly endpoint: string;
  readonly connectionString: string;
}

/** Options of Azurite. */
export interface AzuriteOptions {
  /** The folder of its data. In memory by default. */
  readonly folder?: string;
  /** Maximum megabytes of its heap, if Node's own limit is too small. */
  readonly heapMb?: number;
}

/**
 * Idle timeout of its connections. Its own 5 seconds include busy times, so it could close a connection with
 * a waiting request, which then fails with ECONNRESET.
 */
const keepAliveSeconds = 600;

/** The table service of Azurite on a free port of this machine, without telemetry. */
export const azuriteProgram = (options?: AzuriteOptions): Promise<AzuriteProgram> =>
  programOf("table", options);

/** Starts Azurite's tables, and waits until they respond. */
export const startAzurite = (options?: AzuriteOptions): Promise<Azurite> => start("table", options);

/**
 * Starts Azurite's queues, and waits until they respond. Its connection string only has the endpoint of
 * queues.
 */
export const startAzuriteQueues = (): Promise<Azurite> => start("queue");

/**
 * Starts Azurite's blobs, and waits until they respond. Its connection string only has the endpoint of blobs.
 */
export const startAzuriteBlobs = (): Promise<Azurite> => start("blob");

const settings = { table: "TableEndpoint", queue: "QueueEndpoint", blob: "BlobEndpoint" } as const;

type AzuriteService = keyof typeof settings;

async function programOf(service: AzuriteService, { folder }: AzuriteOptions = {}): Promise<AzuriteProgram> {
  const port = await freePort();
  const manifest = createRequire(import.meta.url).resolve("azurite/package.json");
  const endpoint = `http://127.0.0.1:${port}/devstoreaccount1`;
  return {
    main: join(dirname(manifest), `dist/src/${service}/main.js`),
    args: [
      `--${service}Host`,
      "127.0.0.1",
      `--${service}Port`,
      String(port),
      // The queue service has no such option.
      ...(service === "queue" ? [] : [`--${service}KeepAliveTimeout`, String(keepAliveSeconds)]),
      ...(folder === undefined ? ["--inMemoryPersistence"] : ["--location", folder]),
      "--disableTelemetry",
      "--silent",
      // Clients request versions that are newer than the emulator.
      ...(service === "queue" ? ["--skipApiVersionCheck"] : []),
    ],
    port,
    endpoint,
    connectionString: `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};${settings[service]}=${endpoint};`,
  };
}

/** Another process may take the port between its choice and its use: then the next one is tried. */
async function start(service: AzuriteService, options: AzuriteOptions = {}): Promise<Azurite> {
  const { folder, heapMb } = options;
  const ofNode = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  for (let left = 2; ; left--) {
    const { main, args, port, endpoint, connectionString } = await programOf(service, options);
    const child = spawn(process.execPath, [...ofNode, main, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (!(await isReady(child))) {
      if (left > 0) continue;
      throw new Error(`Azurite did not start on port ${port} (exit code ${child.exitCode}).`);
    }
    return {
      endpoint,
      connectionString,
      async stop() {
        // It writes its file only if it ends by itself.
        child.kill(folder === undefined ? "SIGKILL" : "SIGINT");
        await once(child, "exit");
      },
    };
  }
}

/** Azurite prints a line when it has started. Its other output is ignored. */
async function isReady(child: ChildProcess): Promise<boolean> {
  const { stdout } = child;
  if (stdout === null) throw new Error("Azurite's output is not read.");
  return new Promise((resolve) => {
    let printed = "";
    stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (/successfully (started|listens)/.test(printed)) resolve(true);
    });
    child.once("exit", () => resolve(false));
  });
}
