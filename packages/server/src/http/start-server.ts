import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import { openStorage, type TableStorage } from "@partita/core";
import type { RequestAccess } from "../authorization/request-access.ts";
import { admitRequest, type WireProtocol, type WireService } from "./admit-request.ts";
import { checkDrainOptions, type DrainOptions } from "./drain-options.ts";
import { Health } from "./health.ts";
import { hostInUrl } from "./hosts.ts";
import { createListener } from "./listener.ts";
import type { CheckedServer } from "./server-options.ts";
import type { RunningServer, ServiceName } from "./running-server.ts";

/** The storage of a server: the one in its options, which stays open, or a new one in memory. */
export async function openServed({ storage, clock }: CheckedServer): Promise<TableStorage> {
  return storage ?? openStorage("memory:", { clock });
}

/**
 * Starts listening; the server runs until it is closed.
 *
 * @param storage - the result of `openServed`
 * @throws Error `EADDRINUSE` and other errors of the system; TypeError for an invalid certificate
 */
export async function startServer<Name extends ServiceName, Named, Access extends RequestAccess<Named>>(
  name: Name,
  service: WireService,
  protocol: WireProtocol<Named, Access>,
  storage: TableStorage,
  checked: CheckedServer,
): Promise<RunningServer & { readonly service: Name }> {
  const { host, port, tls, account, key } = checked;
  const { scheme, now } = service;
  const health = new Health(service.probe);
  const { listener, connections, stopAccepting } = createListener(
    (head) => admitRequest(head, service, protocol),
    { ...checked, now, forms: protocol.forms, health },
  );
  listener.listen(port, host);
  await once(listener, "listening");
  const { port: taken } = listener.address() as AddressInfo;
  const url = `${scheme}://${hostInUrl(host, tls !== undefined)}:${taken}/${account}`;
  const closed = new Promise<void>((resolve) => listener.once("close", resolve));
  const stop = new AbortController();
  const closeOnce = async (): Promise<void> => {
    stop.abort();
    listener.close();
    connections.destroyAll();
    await closed;
    if (storage !== checked.storage) await storage.close();
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeOnce());
  /** Ends early if the server closes. */
  const wait = (ms: number): Promise<void> =>
    delay(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  const drain = async (options: DrainOptions = {}): Promise<void> => {
    checkDrainOptions(options);
    const { acceptMs = 0, finishMs = 10_000 } = options;
    health.drain();
    connections.drain();
    await wait(acceptMs);
    // Read requests that have already arrived.
    await turn();
    stopAccepting();
    await Promise.race([closed, wait(finishMs)]);
    await close();
  };
  return {
    service: name,
    url,
    port: taken,
    account,
    key,
    connectionString: `DefaultEndpointsProtocol=${scheme};AccountName=${account};AccountKey=${key};${endpoints[name]}=${url};`,
    drain,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const endpoints = { table: "TableEndpoint", queue: "QueueEndpoint", blob: "BlobEndpoint" } as const;
