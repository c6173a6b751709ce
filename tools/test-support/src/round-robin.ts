import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "./listen.ts";

/** A load balancer on a port of this machine. */
export interface RoundRobin {
  readonly port: number;
  /** Number of requests that each server got, by its port. */
  readonly requests: ReadonlyMap<number, number>;
}

/**
 * Starts a load balancer that sends each request to the next server. If a server refuses a connection, the request goes
 * to the one after it. If a connection breaks, the client gets 502.
 *
 * @param ports - returns the ports of the servers that are available now
 * @param onEnd - registers a function that ends it, such as `onTestFinished`
 */
export async function roundRobin(
  ports: () => readonly number[],
  onEnd: (end: () => Promise<void>) => unknown,
): Promise<RoundRobin> {
  const requests = new Map<number, number>();
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const forward = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(message);
    const { method, url: path, rawHeaders } = message;
    // Unchanged names and values, since some are signed.
    const headers = rawHeaders.filter((_, i) => !ofOneConnection(rawHeaders[i - (i % 2)] ?? ""));
    const send = ([port, ...others]: readonly number[]): void => {
      const options = { host: "127.0.0.1", port, method, path, headers, agent, setHost: false };
      const sent = request(options, (received) => {
        requests.set(port ?? 0, (requests.get(port ?? 0) ?? 0) + 1);
        const kept = Object.entries(received.headers).filter(([name]) => !ofOneConnection(name));
        response.writeHead(received.statusCode ?? 502, Object.fromEntries(kept));
        received.on("error", () => response.destroy());
        received.pipe(response);
      });
      sent.on("error", ({ code }: NodeJS.ErrnoException) => {
        if (code === "ECONNREFUSED" && others.length > 0) send(others);
        else response.writeHead(502).end(code);
      });
      sent.end(body);
    };
    const available = ports();
    const first = turn++ % available.length;
    send([...available.slice(first), ...available.slice(0, first)]);
  };
  const server = createServer((message, response) => {
    forward(message, response).catch(() => response.destroy());
  });
  const port = await listen(server, onEnd);
  onEnd(async () => agent.destroy());
  return { port, requests };
}

const ofOneConnection = (header: string): boolean => /^(?:connection|keep-alive)$/i.test(header);
