import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Server } from "node:net";
import { listen as listenOn } from "@partita/test-support/listen";
import { expect, onTestFinished } from "vitest";
import { type OpenOptions, openStorage, type StorageError, type TableStorage } from "../../../src/index.ts";
import type { WriteOperation } from "../../../src/storage.ts";

// Services that answer as a test says, and storages over them. Both are closed when the test is finished.

export const secret: string = Buffer.from("a very secret account key").toString("base64");

/** Starts a server at a port of its own, and ends it with the test. */
export const listen = (server: Server): Promise<number> => listenOn(server, onTestFinished);

/** A storage over a service at a port, or at another URL. */
export async function storageAt(place: number | string, options: OpenOptions = {}): Promise<TableStorage> {
  const endpoint = typeof place === "number" ? `http://127.0.0.1:${place}/acct` : place;
  const storage = await openStorage(
    `AccountName=acct;AccountKey=${secret};TableEndpoint=${endpoint}`,
    options,
  );
  onTestFinished(() => storage.close());
  return storage;
}

type Response = (request: IncomingMessage, response: ServerResponse) => void;

/** A storage whose service answers every request so. */
export const answering = async (reply: Response, options?: OpenOptions): Promise<TableStorage> =>
  proxied((request, response) => reply(request, response.setHeader("x-ms-request-id", "id-0")), options);

/** A storage that reaches something else than a service, which answers so. */
export async function proxied(reply: Response, options?: OpenOptions): Promise<TableStorage> {
  return storageAt(await listen(createServer(reply)), options);
}

export const insert = (rowKey = "r"): WriteOperation => ({
  type: "insert",
  entity: { PartitionKey: "p", RowKey: rowKey },
});

/** The error of a call that has to fail. */
export const errorOf = async (promise: Promise<unknown>): Promise<StorageError> =>
  promise.then(
    () => expect.unreachable("expected a rejection"),
    (error: StorageError) => error,
  );

export const read = (storage: TableStorage): Promise<StorageError> => errorOf(storage.query("Things", {}));
export const write = (storage: TableStorage): Promise<StorageError> =>
  errorOf(storage.write("Things", insert()));
