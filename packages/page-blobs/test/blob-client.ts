import { createHmac } from "node:crypto";
import diagnostics from "node:diagnostics_channel";
import { queueSharedKeyText } from "@partita/core/protocol";

interface BlobService {
  readonly url: string;
  readonly account: string;
  readonly key: string;
}

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Sends a request that an account's key signs, and expects success. */
export async function sendSigned(
  { url: endpoint, account, key }: BlobService,
  method: string,
  path: string,
  { headers = {}, body = new Uint8Array() }: Asked = {},
): Promise<Response> {
  const url = new URL(endpoint + path);
  const own: Record<string, string> = {
    "x-ms-date": new Date().toUTCString(),
    "x-ms-version": "2019-12-12",
    ...headers,
  };
  const text = queueSharedKeyText(account, {
    method,
    path: url.pathname,
    query: url.searchParams,
    headers: own,
    contentLength: body.length,
  });
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
  const response = await fetch(url, {
    method,
    headers: { ...own, authorization: `SharedKey ${account}:${signature}` },
    ...(method === "PUT" && { body: Buffer.from(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path} was answered with ${response.status}: ${await response.text()}`);
  return response;
}

/** Makes a page blob, in a container of its own. */
export async function createPageBlob(service: BlobService, path: string, size: number): Promise<void> {
  const container = /^\/[^/]+/.exec(path)?.[0] ?? "";
  await sendSigned(service, "PUT", `${container}?restype=container`).catch(() => undefined);
  const headers = { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": String(size) };
  await sendSigned(service, "PUT", path, { headers });
}

/** Writes whole pages of a blob. */
export async function writePages(
  service: BlobService,
  path: string,
  start: number,
  end: number,
): Promise<void> {
  const headers = { "x-ms-page-write": "update", "x-ms-range": `bytes=${start}-${end}` };
  const body = new Uint8Array(end + 1 - start).fill(0xff);
  await sendSigned(service, "PUT", `${path}?comp=page`, { headers, body });
}

/** The page lists that are asked for while something runs, by the path and query of each. */
export async function callsOf<Result>(run: () => Promise<Result>): Promise<readonly [Result, string[]]> {
  const calls: string[] = [];
  const note = (message: unknown): void => {
    const { path } = (message as { readonly request: { readonly path: string } }).request;
    if (path.includes("comp=pagelist")) calls.push(path);
  };
  diagnostics.subscribe("undici:request:create", note);
  try {
    return [await run(), calls];
  } finally {
    diagnostics.unsubscribe("undici:request:create", note);
  }
}
