import { openStorage } from "@partita/core";
import { roundRobin } from "@partita/test-support/round-robin";
import {
  type QueueServerOptions,
  type RunningServer,
  startQueueServer,
  startTableServer,
  type TableServerOptions,
} from "../src/index.ts";

/** What clients need of a server. */
export type Served = Pick<RunningServer, "url" | "port" | "account" | "key" | "connectionString"> &
  AsyncDisposable;

/** The services of a test: all pass the same tests. */
export const services = [
  { name: "one server", servers: 1 },
  { name: "three servers with one storage", servers: 3 },
] as const;

/** Starts table servers with one storage, and a load balancer if there are several. */
export const serveTables = (servers: number, options: TableServerOptions): Promise<Served> =>
  serve(servers, options, startTableServer);

/** The same for queues. */
export const serveQueues = (servers: number, options: QueueServerOptions): Promise<Served> =>
  serve(servers, options, startQueueServer);

async function serve<Options extends TableServerOptions | QueueServerOptions>(
  count: number,
  options: Options,
  start: (options: Options) => Promise<RunningServer>,
): Promise<Served> {
  await using ends = new AsyncDisposableStack();
  const { clock } = options;
  const storage = options.storage ?? ends.use(await openStorage("memory:", { clock }));
  const first = ends.use(await start({ ...options, storage }));
  const { account, key } = first;
  if (count === 1) return end(first, ends.move());
  const ports = [first.port];
  while (ports.length < count) ports.push(ends.use(await start({ ...options, storage, key })).port);
  const { port } = await roundRobin(
    () => ports,
    (stop) => ends.defer(stop),
  );
  const [url, connectionString] = [first.url, first.connectionString].map((text) =>
    text.replace(`:${first.port}/`, `:${port}/`),
  ) as [string, string];
  return end({ account, key, url, port, connectionString }, ends.move());
}

const end = (served: Omit<Served, keyof AsyncDisposable>, ends: AsyncDisposableStack): Served => ({
  account: served.account,
  key: served.key,
  url: served.url,
  port: served.port,
  connectionString: served.connectionString,
  [Symbol.asyncDispose]: () => ends.disposeAsync(),
});
