import type { RunningServer } from "../http/running-server.ts";

/** The content of a page blob that is created without requests. */
export interface PageBlobContent {
  /** Size in bytes, a multiple of 512. */
  readonly size: number;
  /** The written ranges, as whole pages, where `end` is the last byte; none when absent. */
  readonly ranges?: Iterable<{ readonly start: number; readonly end: number }> | undefined;
}

/** A page blob service on this machine. */
export interface PageBlobServer extends RunningServer {
  readonly service: "blob";
  /**
   * Creates a blob, and its container if necessary, without a request for each range.
   *
   * @param name - `container/name`
   * @returns the blob's URL
   * @throws OptionError `server.option`
   */
  putPageBlob(name: string, content: PageBlobContent): string;
}
