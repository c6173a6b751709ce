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
  /** Ends every connection; requests that are being answered may lose their answer. */
  close(): Promise<void>;
}
