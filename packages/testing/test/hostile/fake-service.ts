import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Server } from "node:net";
import { type OpenOptions, openStorage, TableError, type TableStorage } from "@partita/core";
import { listen as listenOn } from "@partita/test-support/listen";
import { expect, onTestFinished } from "vitest";
import { manualClock } from "../../src/index.ts";

/** The key that requests to these servers are signed with. */
export const accountKey: string = Buffer.from("canary-key-of-the-account").toString("base64");

/** Starts a server on a free port of this machine, and ends it with the test. */
const listen = (server: Server): Promise<number> => listenOn(server, onTestFinished);

type Response = (request: IncomingMessage, response: ServerResponse) => void;

/** A service that answers every request so, with the header that shows that it is one. */
export const serve = (reply: Response): Promise<number> =>
  listen(
    createServer((request, response) => reply(request, response.setHeader("x-ms-request-id", "canary"))),
  );

/**
 * A server that answers every request with the same bytes, whatever they are. Unless it keeps its connections open, nobody
 * waits for what does not come.
 */
export const serveBytes = (
  bytes: string | Buffer,
  { keepsOpen = false }: { readonly keepsOpen?: boolean } = {},
): Promise<number> =>
  listen(
    createTcpServer((socket) =>
      socket.on("data", () => {
        if (keepsOpen) socket.write(bytes);
        else if (!socket.writableEnded) socket.end(bytes);
      }),
    ),
  );

/** The limits of requests pass when a test says so, however busy the machine is. */
const clock = manualClock();
/** Limits that no request reaches by itself. */
export const noLimits = { connectMs: 600_000, readMs: 600_000, writeMs: 600_000, idleMs: 600_000 } as const;

/**
 * What work fails with whose time is over once this has come about: the limits of its requests pass then, and not before.
 */
export async function errorWhenTimeIsOver(
  work: () => unknown,
  happened: Promise<unknown>,
): Promise<TableError> {
  const failed = typedError(work);
  await happened;
  clock.advance(noLimits.readMs);
  return failed;
}

/** A storage whose service is at this port. */
export async function storageAt(port: number, options: OpenOptions = {}): Promise<TableStorage> {
  const storage = await openStorage(
    `AccountName=acct;AccountKey=${accountKey};TableEndpoint=http://127.0.0.1:${port}/acct`,
    { timeouts: noLimits, clock, ...options },
  );
  onTestFinished(() => storage.close());
  return storage;
}

/** A storage whose service answers every request so. */
export const answering = async (reply: Response, options?: OpenOptions): Promise<TableStorage> =>
  storageAt(await serve(reply), options);

/** A storage whose service answers every request with this JSON, written by hand or not. */
export const answeringJson = async (json: unknown, options?: OpenOptions): Promise<TableStorage> =>
  answering((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(typeof json === "string" ? json : JSON.stringify(json));
  }, options);

/** What work failed with, which must be an error of this library with a stable code. */
export async function typedError(work: () => unknown): Promise<TableError> {
  const error = await failureOf(work);
  expectTyped(error);
  return error as TableError;
}

/** Checks that an error is one that this library throws on purpose. */
export function expectTyped(error: unknown): void {
  expectOwn(error);
  // What is printed to a terminal or a log must not break out of its line. A save lists its changes below each other,
  // with the link to the error's page on a line of its own.
  const shown = (error as TableError).message.replaceAll(/\n(?=- |See https:)/g, " ");
  // oxlint-disable-next-line no-control-regex
  expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  expect((error as TableError).message.length).toBeLessThan(2000);
}

/** What work failed with. */
export async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return expect.unreachable("expected an error");
}

/** The same of an error that may quote what the program itself is made of: its names and paths. */
export function expectOwn(error: unknown): void {
  expect(error).toBeInstanceOf(TableError);
  expect((error as TableError).code).toMatch(/^[a-z]+(?:-[a-z]+)*\.[a-z0-9]+(?:-[a-z0-9]+)*$/);
}

/** The result, or undefined when it failed as it may. */
export async function orTypedError<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    expectTyped(error);
    return undefined;
  }
}

/** What of this process a hostile name or value could change. */
export function processState(): unknown {
  const names = (target: object): readonly string[] => Reflect.ownKeys(target).map(String);
  return {
    globals: names(globalThis),
    shared: [Object, Array, Function, Promise, String, Map].map(({ prototype }) =>
      names(prototype as object),
    ),
    plain: [...names({}), "pwned" in {}, "polluted" in {}],
    methods: ["toString", "hasOwnProperty"].map((name) => String(Reflect.get({}, name))),
  };
}
