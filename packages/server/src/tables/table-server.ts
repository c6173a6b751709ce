import type { TableStorage } from "@partita/core";

/** A table service on this machine. */
export interface TableServer extends AsyncDisposable {
  /** Which service of an account it is. */
  readonly service: "table";
  /** The account's URL: `http://127.0.0.1:port/account`, or https and the server's host. */
  readonly url: string;
  readonly port: number;
  readonly account: string;
  readonly key: string;
  /** For `openStorage`, and for every client of the service. */
  readonly connectionString: string;
  /**
   * Puts a storage of your own between the server and the tables it serves, such as one that counts requests or lets them
   * fail. It replaces the one that was there before. What the server stores of its settings does not go through it.
   *
   * @returns what `wrap` returns
   */
  wrapStorage<Wrapped extends TableStorage>(wrap: (storage: TableStorage) => Wrapped): Wrapped;
  /** Ends every connection; requests that are being answered may lose their answer. */
  close(): Promise<void>;
}
