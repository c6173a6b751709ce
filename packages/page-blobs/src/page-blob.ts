/** Bytes of a page. Writes to a page blob are aligned to pages. */
export const pageBytes = 512;

/** Bytes of a page blob that hold data. Both ends are inclusive, as in HTTP ranges. */
export interface PageRange {
  readonly start: number;
  readonly end: number;
}

/** Progress of reading page ranges. */
export interface PageRangesProgress {
  /** Bytes of the blob covered so far, from its start. */
  readonly done: number;
  /** The size of the blob in the last response. */
  readonly size: number;
  /** Number of responses. */
  readonly calls: number;
}

/** Options for reading page ranges. */
export interface PageRangesOptions {
  /**
   * Bytes of the blob that one request covers, a multiple of 512. Default 150 MiB, which is answered before
   * the timeout for any fragmentation. Larger segments need fewer requests.
   */
  readonly segmentBytes?: number | undefined;
  /** Timeout of each request in milliseconds, passed to the service in seconds. Default 90,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * The first byte to read, a multiple of 512. Default 0. To continue after an error, set it to the byte
   * after the last range.
   */
  readonly from?: number | undefined;
  /** Joins adjacent ranges, such as those split between two requests. Default false. */
  readonly join?: boolean | undefined;
  /** Refuses a blob that changes meanwhile, with `blobs.changed`. Default false. */
  readonly unchanged?: boolean | undefined;
  /** The time of a snapshot, as returned by the service. Its ranges are read instead of the blob's. */
  readonly snapshot?: string | undefined;
  /** Aborts the read with `storage.cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each response. */
  readonly onProgress?: ((progress: PageRangesProgress) => void) | undefined;
}

/** A page blob that is open for reading its page ranges. */
export interface PageBlob extends AsyncDisposable {
  /** Its URL, without credentials. */
  readonly url: string;
  /**
   * The written ranges, in rising order. The first request is sent when the loop starts, and each further
   * segment when the loop reaches it. Each request is sent once, and its ranges are yielded before a later
   * request can fail. Each loop over the result reads again.
   *
   * @throws OptionError `blobs.option`; StorageError, from the loop: `blobs.changed`, `storage.*`
   */
  pageRanges(options?: PageRangesOptions): AsyncIterable<PageRange>;
  /** Closes its connections after the pending requests have ended. */
  close(): Promise<void>;
}
