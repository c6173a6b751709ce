import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A service that responds to queries, and breaks the connection of every write. */
export interface BreakingServer extends AsyncDisposable {
  readonly connectionString: string;
  /** The tables of the writes that arrived. */
  readonly writes: readonly string[];
}

const emptyPage = '{"value":[]}';

export async function startBreakingServer(): Promise<BreakingServer> {
  const writes: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    socket.on("data", (chunk) => {
      const [method, path = ""] = chunk.toString("latin1").split(" ", 2);
      if (method === "GET") {
        const headers = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${emptyPage.length}\r\n\r\n`;
        socket.write(headers + emptyPage);
      } else {
        writes.push(path);
        socket.destroy();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const key = Buffer.from("a key of no account").toString("base64");
  return {
    connectionString: `AccountName=acct;AccountKey=${key};TableEndpoint=http://127.0.0.1:${port}/acct;`,
    writes,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
