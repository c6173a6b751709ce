import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

/**
 * Starts a server on a free port of this machine, and returns the port.
 *
 * @param onEnd - registers a function that ends it with all of its connections, such as `onTestFinished`
 */
export async function listen(server: Server, onEnd: (end: () => Promise<void>) => unknown): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onEnd(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}
