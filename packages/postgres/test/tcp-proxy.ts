import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";

/** A proxy that can stop to forward, as a network does that lost its route: connections stay open. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Forwards nothing any more, of present and of new connections. */
  freeze(): void;
}

/** @param port - of the server, on this machine */
export async function tcpProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((incoming) => {
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
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      isFrozen = true;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
