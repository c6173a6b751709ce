import { connect, type Socket } from "node:net";
import type { ClientBase } from "pg";

/** Members of the client that its types leave out. */
interface Backend {
  readonly host?: string;
  readonly port?: number;
  readonly processID?: number | null;
  readonly secretKey?: number | null;
  readonly connection?: { readonly stream?: Socket };
}

/** How long the server may take to answer after a cancellation, in milliseconds. */
const patienceMs = 2000;

/**
 * Asks the server to end the statement that a connection is running, over a connection of its own. The statement then
 * fails with 57014, unless its answer was faster. If neither arrives, the connection is destroyed.
 *
 * Source: postgresql.org "Message Formats", CancelRequest.
 *
 * @returns a function to call when the statement has ended
 */
export function cancelStatement(client: ClientBase): () => void {
  const { host = "localhost", port = 5432, processID, secretKey, connection } = client as unknown as Backend;
  const timer = setTimeout(() => connection?.stream?.destroy(), patienceMs);
  if (typeof processID === "number" && typeof secretKey === "number") {
    const message = Buffer.alloc(16);
    [message.length, cancelRequest, processID, secretKey].forEach((value, i) =>
      message.writeInt32BE(value, 4 * i),
    );
    const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.on("error", () => {});
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.end(message);
  }
  return () => clearTimeout(timer);
}

const cancelRequest = 80_877_102;
