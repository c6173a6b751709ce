import type { TableStorage } from "@partita/core";
import { type QueueServer, startQueueServer, startTableServer } from "@partita/server";
import { CommandError } from "../session/session.ts";
import { UsageError } from "../session/usage-error.ts";
import { untilStopped } from "../session/until-stopped.ts";
import { openTarget } from "../storage/open-target.ts";
import { readServeOptions, type ServeOptions, type ServeSettings } from "./serve-options.ts";

/** Remedies if the system refuses to listen. */
const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: "The port is taken. Choose another with --port, or 0 for a free one.",
  EADDRNOTAVAIL: "The --host is not an address of this machine. 0.0.0.0 listens on all of its addresses.",
  ENOTFOUND: "The --host is not an address of this machine. 0.0.0.0 listens on all of its addresses.",
  EACCES: "You may not listen on this port. Choose one from 1024 on with --port.",
};

/** `partita serve`: serves until a signal stops it. A second signal ends a drain. Returns the exit code. */
export async function serve(_args: readonly string[], options: ServeOptions): Promise<number> {
  const settings = await readServeOptions(options);
  const { target, server: served, isKeyPublic } = settings;
  await using storage = await openTarget(target, { mayCreate: true });
  await using server = await listening(() => startTableServer({ storage, ...served }), remedies);
  await using queues = await startQueues(storage, settings);
  const { port, url } = server;
  // A signal may come as soon as the last line is printed.
  const stopped = untilStopped();
  console.log(`Serving ${storage.description} at ${url}`);
  if (queues !== undefined) console.log(`Queues at ${queues.url}`);
  const connectionString = `${server.connectionString}${queues === undefined ? "" : `QueueEndpoint=${queues.url};`}`;
  console.log(
    `Connection string: ${isKeyPublic ? connectionString : connectionString.replace(served.key, "…")}`,
  );
  console.log(`Ready host=${served.host} port=${port} url=${url}`);
  await stopped;
  const drain = { acceptMs: settings.drainMs };
  await Promise.race([Promise.all([server.drain(drain), queues?.drain(drain)]), untilStopped()]);
  return 0;
}

/** Starts a server. @throws CommandError with a remedy if the system refuses */
async function listening<Server>(
  start: () => Promise<Server>,
  remedyFor: Readonly<Record<string, string>>,
): Promise<Server> {
  try {
    return await start();
  } catch (cause) {
    const { code = "", name, message } = cause as NodeJS.ErrnoException;
    const remedy = remedyFor[code];
    if (remedy !== undefined) throw new CommandError(remedy, { cause });
    // A TypeError means an illegal option. A refusal of the system has a code.
    throw name === "TypeError" && code === "" ? new UsageError(message, { cause }) : cause;
  }
}

/** Serves queues from the same storage as tables. Undefined if queues are turned off. */
async function startQueues(
  storage: TableStorage,
  { server: { throttle: _tablesOnly, ...server }, queuePort }: ServeSettings,
): Promise<QueueServer | undefined> {
  if (queuePort === undefined) return undefined;
  const taken = `The port ${queuePort} for queues is taken. Choose another with --queue-port, or 0 for a free one, or serve no queues with --no-queues.`;
  return listening(() => startQueueServer({ ...server, storage, port: queuePort }), {
    ...remedies,
    EADDRINUSE: taken,
  });
}
