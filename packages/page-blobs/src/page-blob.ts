/** Bytes of a page: what is written to a page blob begins and ends with one. */
export const pageBytes = 512;

/** Bytes of a page blob that hold data; both are included, as in HTTP ranges. */
export interface PageRange {
  readonly start: number;
  readonly end: number;
}

/** How far a reading of page ranges is. */
export interface PageRangesProgress {
  /** Bytes of the blob, from its first on, that were asked about. */
  readonly done: number;
  /** The size of the blob as the last answer has it. */
  readonly size: number;
  /** Calls that were answered. */
  readonly calls: number;
}

/** How page ranges are read. */
export interface PageRangesOptions {
  /**
   * Bytes of the blob that one call asks about, a multiple of 512; default 150 MiB, which is answered in time however
   * fragmented the blob is. Fewer calls with more.
   */
  readonly segmentBytes?: number | undefined;
  /** Milliseconds that each call may take, which the service gets as its limit in seconds; default 90,000. */
  readonly timeoutMs?: number | undefined;
  /** Where to begin, a multiple of 512; default 0. Behind the last range that was read, it goes on after an error. */
  readonly from?: number | undefined;
  /** Makes one range of those that touch, such as those cut where one call ends and the next begins; default false. */
  readonly join?: boolean | undefined;
  /** Refuses a blob that is changed meanwhile with `blobs.changed`; default false. */
  readonly unchanged?: boolean | undefined;
  /** The time of a snapshot, as the service gave it: its ranges are read in place of the blob's. */
  readonly snapshot?: string | undefined;
  /** Ends the reading with `storage.cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each answer. */
  readonly onProgress?: ((progress: PageRangesProgress) => void) | undefined;
}

/** A page blob that is open for reading which of its pages are written. */
export interface PageBlob extends AsyncDisposable {
  /** Its URL, without what proves who asks. */
  readonly url: string;
  /**
   * The ranges that are written, in rising order. Nothing is asked until the first of them is, and each further segment
   * when the loop comes to it. Each call is sent once, and what is answered is given out before a later call may fail.
   * Each loop over the result reads anew.
   *
   * @throws OptionError `blobs.option`; StorageError, from the loop: `blobs.changed`, `storage.*`
   */
  pageRanges(options?: PageRangesOptions): AsyncIterable<PageRange>;
  /** Ends its connections, once the calls under way have ended. */
  close(): Promise<void>;
}
