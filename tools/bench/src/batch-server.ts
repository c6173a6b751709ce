import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server in a process of its own that answers every transaction of 100 as stored, so that only clients are measured. */
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
  const part =
    "--changesetresponse_S\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nPreference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\nLocation: https://account/Articles(PartitionKey='p',RowKey='r')\r\nDataServiceId: https://account/Articles(PartitionKey='p',RowKey='r')\r\nETag: W/\"datetime'2026-11-21T00%3A52%3A49.6565681Z'\"\r\n\r\n\r\n";
  const body = `--batchresponse_R\r\nContent-Type: multipart/mixed; boundary=changesetresponse_S\r\n\r\n${part.repeat(100)}--changesetresponse_S--\r\n--batchresponse_R--\r\n`;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const headers = { "content-type": "multipart/mixed; boundary=batchresponse_R", "x-ms-request-id": "r" };
      response.writeHead(202, headers).end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}
