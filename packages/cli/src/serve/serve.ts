import { isNativeError } from "node:util/types";
import type { TableStorage } from "@partita/core";
import { type QueueServer, startQueueServer, startTableServer } from "@partita/server";
import { openTarget } from "../storage/open-target.ts";
import { UsageError } from "../session/usage-error.ts";
import { readServeOptions, type ServeOptions, type ServeTexts } from "./serve-options.ts";

/** What to do when the system does not let it listen. */
const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: "The port is taken: name another with --port, or 0 for a free one.",
  EADDRNOTAVAIL: "The --host is not an address of this machine: 0.0.0.0 stands for all that it has.",
  ENOTFOUND: "The --host is not an address of this machine: 0.0.0.0 stands for all that it has.",
  EACCES: "The port is not for everybody to take: name one from 1024 on with --port.",
};

/** `partita serve`: serves until a signal stops it. Returns the exit code. */
export async function serve(_args: readonly string[], given: ServeTexts): Promise<number> {
  try {
    await serveWith(await readServeOptions(given));
    return 0;
  } catch (error) {
    if (UsageError.is(error)) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const isQueuePort = QueuePortTaken.is(error);
    console.error((code === undefined || isQueuePort ? undefined : remedies[code]) ?? message);
    // Options that are not legal are TypeErrors; what the system or the storage refuses is not.
    return isNativeError(error) && error.name === "TypeError" && code === undefined ? 2 : 1;
  }
}

/** Serves until a signal stops it. */
async function serveWith(options: ServeOptions): Promise<void> {
  const { target, server: served, isKeyPublic } = options;
  await using storage = await openTarget(target, { mayCreate: true });
  await using server = await startTableServer({ storage, ...served });
  await using queues = await startQueues(storage, options);
  const { port, url } = server;
  console.log(`Serving ${storage.description} at ${url}`);
  if (queues !== undefined) console.log(`Queues at ${queues.url}`);
  const connectionString = `${server.connectionString}${queues === undefined ? "" : `QueueEndpoint=${queues.url};`}`;
  console.log(
    `Connection string: ${isKeyPublic ? connectionString : connectionString.replace(served.key, "…")}`,
  );
  console.log(`Ready host=${served.host} port=${port} url=${url}`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

/** Somebody else listens where queues should be served. */
class QueuePortTaken extends Error {
  readonly code = "EADDRINUSE";

  constructor(port: number, cause: unknown) {
    super(
      `The port ${port} for queues is taken: name another with --queue-port, or 0 for a free one, or leave queues out with --no-queues.`,
      { cause },
    );
  }

  get isQueuePortTaken(): true {
    return true;
  }

  static is(value: unknown): value is QueuePortTaken {
    return (value as Partial<QueuePortTaken> | null | undefined)?.isQueuePortTaken === true;
  }
}

/** Serves queues in the same storage, beside the tables; undefined where they are left out. @throws QueuePortTaken */
async function startQueues(
  storage: TableStorage,
  { server: { throttle: _tablesOnly, ...server }, queuePort }: ServeOptions,
): Promise<QueueServer | undefined> {
  if (queuePort === undefined) return undefined;
  try {
    return await startQueueServer({ ...server, storage, port: queuePort });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new QueuePortTaken(queuePort, error);
  }
}
