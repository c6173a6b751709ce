/** A page blob that is put in place at once. */
export interface PageBlobContent {
  /** Bytes, a multiple of 512. */
  readonly size: number;
  /** What is written of it, as whole pages; nothing when absent. */
  readonly ranges?: Iterable<{ readonly start: number; readonly end: number }> | undefined;
}

/** A service of page blobs on this machine. */
export interface PageBlobServer extends AsyncDisposable {
  readonly service: "blob";
  /** The account's URL: `http://127.0.0.1:port/account`, or https and the server's host. */
  readonly url: string;
  readonly port: number;
  readonly account: string;
  readonly key: string;
  /** For `openPageBlob`, and for every client of the service. */
  readonly connectionString: string;
  /**
   * Puts a blob in place, and its container where there is none, without a request for each range.
   *
   * @param name - `container/name`
   * @returns its URL
   * @throws OptionError `server.option`
   */
  putPageBlob(name: string, content: PageBlobContent): string;
  /** Ends every connection; requests that are being answered may lose their answer. */
  close(): Promise<void>;
}
