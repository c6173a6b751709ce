// A load balancer. It uses httpxy, which reuses connections and has no dependencies; http-proxy-3 has two.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { createProxyServer } from "httpxy";
import type { Server } from "./server.ts";

const checkEveryMs = 50;

/** Sends each request to the next server that is healthy. */
export class Balancer implements AsyncDisposable {
  /** Number of responses of each server. */
  readonly responses = new Map<Server, number>();
  readonly #servers: readonly Server[];
  readonly #healthy = new Set<Server>();
  readonly #http = createServer((request, response) => void this.#forward(request, response));
  readonly #proxy = createProxyServer();
  readonly #end = new AbortController();
  #turn = 0;

  constructor(servers: readonly Server[]) {
    this.#servers = servers;
  }

  /** Returns its port. */
  async start(): Promise<number> {
    for (const server of this.#servers) void this.#watch(server);
    this.#http.listen(0, "127.0.0.1");
    await once(this.#http, "listening");
    return (this.#http.address() as AddressInfo).port;
  }

  /** Waits until these servers get requests. */
  async untilHealthy(...servers: readonly Server[]): Promise<void> {
    while (!servers.every((server) => this.#healthy.has(server))) await setTimeout(checkEveryMs);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const healthy = this.#servers.filter((server) => this.#healthy.has(server));
    const server = healthy[this.#turn++ % healthy.length];
    if (server === undefined) return void response.writeHead(503).end();
    try {
      await this.#proxy.web(request, response, { target: server.url });
      this.responses.set(server, (this.responses.get(server) ?? 0) + 1);
    } catch {
      // The server died. The request may have been applied: only its client can find out.
      this.#healthy.delete(server);
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    }
  }

  /** Asks a server for its health until the end. */
  async #watch(server: Server): Promise<void> {
    while (!this.#end.signal.aborted) {
      const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(1000)]);
      const isHealthy = await fetch(`${server.url}/health`, { signal }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isHealthy) this.#healthy.add(server);
      else this.#healthy.delete(server);
      await setTimeout(checkEveryMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, "close");
  }
}
