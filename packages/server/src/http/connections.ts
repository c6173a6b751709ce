import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The requests of one connection. */
interface Traffic {
  /** Number of requests without a completely sent response. */
  pending: number;
  newest: IncomingMessage;
  /** Whether a response has announced that it is the last. */
  isEnding: boolean;
}

/**
 * The connections of a server. While the server drains, each connection ends after a response that announces it. Node's
 * `closeIdleConnections` would also end connections that are still sending a response.
 */
export class Connections {
  /** All sockets, including those without a request. */
  readonly #sockets = new Set<Socket>();
  /** Connections with a request. With TLS, their sockets are not the ones in `#sockets`. */
  readonly #traffic = new Map<Socket, Traffic>();
  #isDraining = false;
  #endsIdle = false;

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /**
   * Counts a request until its response is sent.
   *
   * @returns false if the connection's last response was announced: the request must not be executed, since it gets no
   *   response
   */
  begin(message: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = message;
    const known = this.#traffic.get(socket);
    if (known?.isEnding === true) return false;
    const traffic = known ?? { pending: 0, newest: message, isEnding: false };
    if (known === undefined) {
      this.#traffic.set(socket, traffic);
      socket.once("close", () => this.#traffic.delete(socket));
    }
    traffic.newest = message;
    traffic.pending++;
    response.once("close", () => {
      traffic.pending--;
      if (this.#endsIdle && traffic.pending === 0) socket.destroySoon();
    });
    return true;
  }

  /** Whether the response to a request announces that it is the connection's last. */
  endsWith(message: IncomingMessage): boolean {
    const traffic = this.#traffic.get(message.socket);
    // A request that was already sent after this one gets its response first.
    if (!this.#isDraining || traffic?.newest !== message) return false;
    traffic.isEnding = true;
    return true;
  }

  /** From now on, responses announce that they are the last. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Ends connections that have no request in progress, and later the others after their response. */
  endIdle(): void {
    this.#endsIdle = true;
    for (const [socket, { pending }] of this.#traffic) if (pending === 0) socket.destroySoon();
  }

  /** Ends all connections immediately. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
