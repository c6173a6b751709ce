import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pageText } from "./article.ts";

/** A table service with prepared responses in its own process, so only clients are measured. */
export interface ResponseServer {
  readonly origin: string;
  readonly account: string;
  readonly key: string;
  readonly connectionString: string;
  stop(): Promise<void>;
}

/**
 * Responds to every query with a page of 1,000 articles, or of 20 if the query requests 20, and to every
 * point read with one article.
 */
export async function startResponseServer(): Promise<ResponseServer> {
  const child: ChildProcess = fork(import.meta.filename, ["serve"]);
  const [port] = (await once(child, "message")) as [number];
  const [origin, account] = [`http://127.0.0.1:${port}`, "devstoreaccount1"];
  const key = Buffer.alloc(64, 7).toString("base64");
  return {
    origin,
    account,
    key,
    connectionString: `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};TableEndpoint=${origin}/${account};`,
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}

if (process.argv[2] === "serve" && process.argv[1] === import.meta.filename) serve();

function serve(): void {
  const text = pageText(1000);
  const [first] = (JSON.parse(text) as { readonly value: readonly Readonly<Record<string, string>>[] }).value;
  const page = Buffer.from(text);
  const short = Buffer.from(pageText(20));
  const point = Buffer.from(
    JSON.stringify({ "odata.metadata": "http://127.0.0.1/$metadata#Articles/@Element", ...first }),
  );
  const headersOf = (body: Buffer): Readonly<Record<string, string | number>> => ({
    "content-type": "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
    "content-length": body.length,
    server: "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0",
    "x-ms-request-id": "0b7a3a3e-0002-0064-1f2d-000000000000",
    "x-ms-version": "2019-02-02",
    "cache-control": "no-cache",
  });
  const ofPage = headersOf(page);
  const ofPoint = { ...headersOf(point), etag: first?.["odata.etag"] ?? "" };
  const server = createServer((request, response) => {
    request.resume();
    const { url = "" } = request;
    if (url.includes("RowKey=")) response.writeHead(200, ofPoint).end(point);
    else if (/top=20\b/.test(url)) response.writeHead(200, headersOf(short)).end(short);
    else response.writeHead(200, ofPage).end(page);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}
