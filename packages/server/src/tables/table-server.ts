import type { RunningServer } from "../http/running-server.ts";
import type { TableStorage } from "@partita/core";

/** A table service on this machine. */
export interface TableServer extends RunningServer {
  readonly service: "table";
  /**
   * Wraps the served storage, for example to count requests or to inject faults. A later call replaces the wrapper. The
   * server's own settings do not go through it.
   *
   * @param wrap - receives the unwrapped storage
   * @returns the result of `wrap`
   */
  wrapStorage<Wrapped extends TableStorage>(wrap: (storage: TableStorage) => Wrapped): Wrapped;
}
