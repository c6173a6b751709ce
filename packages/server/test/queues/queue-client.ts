import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import {
  QueueClient,
  QueueServiceClient,
  RestError,
  StorageSharedKeyCredential,
  type StoragePipelineOptions,
} from "@azure/storage-queue";
import { expect } from "vitest";
import type { RunningServer } from "../../src/index.ts";

/** The server, or several of them. */
type QueueServer = Pick<RunningServer, "url" | "port" | "account" | "key">;

/** Each request is sent once: a test sees the first answer. */
const pipeline: StoragePipelineOptions = { retryOptions: { maxTries: 1 } };

export const credentialOf = ({ account, key }: QueueServer): StorageSharedKeyCredential =>
  new StorageSharedKeyCredential(account, key);

/** Microsoft's client, with the account's key, or with a signature. */
export const clientOf = (server: QueueServer, sas?: string): QueueServiceClient =>
  sas === undefined
    ? new QueueServiceClient(server.url, credentialOf(server), pipeline)
    : new QueueServiceClient(`${server.url}?${sas}`, undefined, pipeline);

/** The same for one queue. */
export const queueOf = (server: QueueServer, queue: string, sas?: string): QueueClient =>
  sas === undefined
    ? clientOf(server).getQueueClient(queue)
    : new QueueClient(`${server.url}/${queue}?${sas}`, undefined, pipeline);

/** What a client is refused with. */
export async function refusal(
  promise: Promise<unknown>,
): Promise<readonly [status: number | undefined, code: string | undefined]> {
  const error = await promise.then(
    () => expect.unreachable("expected a rejection"),
    (reason: unknown) => reason as RestError,
  );
  expect(error).toBeInstanceOf(RestError);
  return [error.statusCode, error.code];
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly code: string | undefined;
}

export type AskQueues = (path: string, asked?: Asked) => Promise<Answered>;

/** Asks a server as a client that signs with Shared Key Lite, and sends whatever a test wants to see refused. */
export const queueAsker =
  ({ port, account, key }: QueueServer): AskQueues =>
  async (path, { method = "GET", headers = {}, body = "" } = {}) => {
    const own: Record<string, string> = {
      "x-ms-date": new Date().toUTCString(),
      "x-ms-version": "2020-10-02",
      ...headers,
    };
    const signed = Object.keys(own)
      .filter((name) => name.startsWith("x-ms-"))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((name) => `${name.toLowerCase()}:${own[name]}`);
    const url = new URL(`http://127.0.0.1:${port}/${account}${path}`);
    const comp = url.searchParams.get("comp");
    const resource = `/${account}${url.pathname}${comp === null ? "" : `?comp=${comp}`}`;
    const text = [method, "", own["content-type"] ?? "", "", ...signed, resource].join("\n");
    const signature = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
    const authorization = `SharedKeyLite ${account}:${signature}`;
    return send(url, method, { authorization, ...own }, body);
  };

/** Asks a server as somebody without credentials, or with those of the URL or the headers. */
export async function send(
  url: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = "",
): Promise<Answered> {
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const asked = httpRequest(url, { method, headers: { ...length, ...headers }, agent: false }).end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const text = Buffer.concat((await response.toArray()) as Buffer[]).toString();
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string>,
    text,
    code: response.headers["x-ms-error-code"] as string | undefined,
  };
}

/** The document that a message is sent in. */
export const messageXml = (text: string): string =>
  `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`;
