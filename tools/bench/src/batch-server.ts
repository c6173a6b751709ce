import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { batchResponse, batchResponseType } from "./batch-answer.ts";

/**
 * A server in its own process that responds to every transaction of 100 as stored, so only clients are
 * measured.
 */
export async function startBatchServer(): Promise<{
  readonly origin: string;
  readonly connectionString: string;
  stop(): Promise<void>;
}> {
  const child: ChildProcess = fork(import.meta.filename, ["serve"]);
  const [port] = (await once(child, "message")) as [number];
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    connectionString: `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=a2V5;TableEndpoint=${origin}/devstoreaccount1;`,
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}

if (process.argv[2] === "serve" && process.argv[1] === import.meta.filename) serve();

function serve(): void {
  const body = batchResponse(100);
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const headers = { "content-type": batchResponseType, "x-ms-request-id": "r" };
      response.writeHead(202, headers).end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}
