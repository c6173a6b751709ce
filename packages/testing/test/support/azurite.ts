import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A running emulator. */
export interface Azurite {
  readonly connectionString: string;
  readonly endpoint: string;
  stop(): Promise<void>;
}

const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** Starts the table service of Azurite in memory, on a free port of this machine, without telemetry. */
export async function startAzurite(): Promise<Azurite> {
  const port = await freePort();
  const main = join(
    dirname(createRequire(import.meta.url).resolve("azurite/package.json")),
    "dist/src/table/main.js",
  );
  const args = [
    "--tableHost",
    "127.0.0.1",
    "--tablePort",
    String(port),
    "--inMemoryPersistence",
    "--disableTelemetry",
    "--silent",
  ];
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  await untilReady(child, port);
  const endpoint = `http://127.0.0.1:${port}/devstoreaccount1`;
  return {
    endpoint,
    connectionString: `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};TableEndpoint=${endpoint};`,
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
