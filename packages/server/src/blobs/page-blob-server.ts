import type { RunningServer } from "../http/running-server.ts";

/** A page blob that is put in place at once. */
export interface PageBlobContent {
  /** Bytes, a multiple of 512. */
  readonly size: number;
  /** What is written of it, as whole pages; nothing when absent. */
  readonly ranges?: Iterable<{ readonly start: number; readonly end: number }> | undefined;
}

/** A service of page blobs on this machine. */
export interface PageBlobServer extends RunningServer {
  readonly service: "blob";
  /**
   * Puts a blob in place, and its container where there is none, without a request for each range.
   *
   * @param name - `container/name`
   * @returns its URL
   * @throws OptionError `server.option`
   */
  putPageBlob(name: string, content: PageBlobContent): string;
}
