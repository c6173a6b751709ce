import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";

/** A proxy that can stop to forward, as a network does that lost its route: connections stay open. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Forwards nothing any more, of present and of new connections. */
  freeze(): void;
  /** Forwards new connections late. */
  delay(ms: number): void;
  /** Breaks all connections, as the death of the server's process does. */
  cut(): void;
}

/** @param port - of the server, on this machine */
export async function tcpProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let delayMs = 0;
  const server = createServer(async (incoming) => {
    incoming.pause();
    await setTimeout(delayMs);
    const outgoing = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => isFrozen || to.write(bytes));
      from.on("error", () => to.destroy());
      from.on("close", () => isFrozen || to.destroy());
    }
    incoming.resume();
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      isFrozen = true;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
