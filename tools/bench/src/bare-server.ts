import { fork } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { batchResponse, batchResponseType } from "./batch-answer.ts";
import { type MeasuredServer, measured } from "./scan-server.ts";

const [account, key] = ["devstoreaccount1", Buffer.alloc(64, 7)];

/**
 * The cost of a table server without checks, in its own process: Node's HTTP and SQLite in memory, written by
 * hand. It splits transactions of inserts, reads and prints their JSON, computes a signature, and responds in
 * the service's form.
 */
export async function startBareServer(): Promise<MeasuredServer> {
  const child = fork(import.meta.filename, ["serve-bare"]);
  const [port] = (await once(child, "message")) as [number];
  const endpoint = `http://127.0.0.1:${port}/${account}`;
  const secret = key.toString("base64");
  return measured(
    child,
    `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${secret};TableEndpoint=${endpoint};`,
  );
}

if (process.argv[2] === "serve-bare" && process.argv[1] === import.meta.filename) serve();

function serve(): void {
  const database = new DatabaseSync(":memory:");
  database.exec(
    "CREATE TABLE rows (partition TEXT NOT NULL, row TEXT NOT NULL, body TEXT NOT NULL) STRICT; CREATE UNIQUE INDEX keys ON rows (partition, row)",
  );
  const insert = database.prepare("INSERT INTO rows VALUES (?, ?, ?)");
  const select = database.prepare("SELECT body FROM rows WHERE partition = ? AND row = ?");
  const etag = `W/"datetime'2026-11-21T00%3A52%3A49.6565681Z'"`;
  const head = { "x-ms-request-id": "0b7a3a3e", "x-ms-version": "2019-02-02", "cache-control": "no-cache" };

  const sign = ({ method, url, headers }: IncomingMessage): string =>
    createHmac("sha256", key)
      .update(
        `${method}\n\n${headers["content-type"] ?? ""}\n${String(headers["x-ms-date"])}\n/${account}${url}`,
      )
      .digest("base64");

  const transact = (text: string, response: ServerResponse): void => {
    let count = 0;
    database.exec("BEGIN");
    for (let at = text.indexOf("\r\n\r\n{"); at >= 0; at = text.indexOf("\r\n\r\n{", at)) {
      const end = text.indexOf("\r\n", at + 4);
      const { PartitionKey, RowKey, ...rest } = JSON.parse(text.slice(at + 4, end)) as Record<string, string>;
      insert.run(PartitionKey as string, RowKey as string, JSON.stringify(rest));
      count++;
      at = end;
    }
    database.exec("COMMIT");
    response.writeHead(202, { ...head, "content-type": batchResponseType }).end(batchResponse(count));
  };

  const read = (url: string, response: ServerResponse): void => {
    const [, PartitionKey = "", RowKey = ""] =
      /PartitionKey='([^']*)',RowKey='([^']*)'/.exec(decodeURIComponent(url)) ?? [];
    const { body } = select.get(PartitionKey, RowKey) as { body: string };
    const keys = JSON.stringify({ "odata.etag": etag, PartitionKey, RowKey });
    response.writeHead(200, { ...head, "content-type": "application/json;odata=minimalmetadata", etag });
    response.end(`${keys.slice(0, -1)},${body.slice(1)}`);
  };

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      const { method, url = "" } = request;
      if (sign(request).length !== 44) throw new Error("No signature.");
      if (url.includes("/$batch")) transact(Buffer.concat(parts).toString(), response);
      else if (method === "GET") read(url, response);
      // One table serves all requests.
      else response.writeHead(204, head).end();
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}
