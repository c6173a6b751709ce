import type { RunningServer } from "../http/running-server.ts";
import type { TableStorage } from "@partita/core";

/** A table service on this machine. */
export interface TableServer extends RunningServer {
  readonly service: "table";
  /**
   * Puts a storage of your own between the server and the tables it serves, such as one that counts requests or lets them
   * fail. It replaces the one that was there before. What the server stores of its settings does not go through it.
   *
   * @returns what `wrap` returns
   */
  wrapStorage<Wrapped extends TableStorage>(wrap: (storage: TableStorage) => Wrapped): Wrapped;
}
