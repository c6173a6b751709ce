import { StorageError } from "@partita/core";
import { pageBytes, type PageBlob, type PageRange, type PageRangesOptions } from "./page-blob.ts";
import { systemClock, timeLimitsOf } from "@partita/core/internal";
import {
  authorizerFor,
  malformedXml,
  queueRequestSigner,
  type RawResponse,
  RestClient,
  textOf,
} from "@partita/core/internal/azure";
import { aboutBlob } from "./blob-errors.ts";
import { type BlobTarget, readBlobTarget } from "./blob-target.ts";
import { checkPageRanges, openPageBlobCall, type OpenPageBlobOptions } from "./page-blob-options.ts";
import { PageListReader } from "./page-list-reader.ts";
import { joinRanges, readSegments, type SegmentResponse } from "./read-segments.ts";
import { type Segment, SegmentRanges } from "./segment-ranges.ts";

/**
 * The last version that returns complete page lists. From 2020-10-02 on they are split into parts of 10,000
 * ranges.
 */
const version = "2019-12-12";

/** Default timeout of each request. */
const usualTimeoutMs = 90_000;

/** Bytes of the longest range element, and of the list around the ranges. */
const [maxRangeBytes, maxFrameBytes] = [80, 4096];

/** Opens a page blob with the REST protocol of Azure Blob storage. */
export async function openRestPageBlob(target: unknown, options: OpenPageBlobOptions): Promise<PageBlob> {
  const place = readBlobTarget(target, options);
  const { account } = place;
  const { clock = systemClock } = options;
  // A single time limit covers the complete response.
  const limits = timeLimitsOf({ readMs: usualTimeoutMs, idleMs: Number.POSITIVE_INFINITY });
  const authorizer = authorizerFor(account.credential, {
    // Blobs are signed like queues.
    signerOf: queueRequestSigner,
    call: openPageBlobCall,
    scope: "https://storage.azure.com/.default",
    tokenTimeoutMs: limits.readMs,
    clock,
    isSecure: account.endpoint.protocol === "https:" || options.allowInsecure === true,
  });
  const format = { accept: "application/xml", contentType: "application/xml" };
  return new RestPageBlob(
    await RestClient.open({ account, authorizer, format, version, limits, clock, connection: options }),
    place,
  );
}

class RestPageBlob implements PageBlob {
  readonly url: string;
  readonly #client: RestClient;
  readonly #target: BlobTarget;

  constructor(client: RestClient, target: BlobTarget) {
    this.#client = client;
    this.#target = target;
    this.url = client.url + target.path;
  }

  pageRanges(options: PageRangesOptions = {}): AsyncIterable<PageRange> {
    checkPageRanges(options);
    const ranges = readSegments((segment, etag) => this.#ask(segment, etag, options), options);
    return options.join === true ? joinRanges(ranges) : ranges;
  }

  async #ask(
    segment: Segment,
    etag: string | undefined,
    { timeoutMs = usualTimeoutMs, snapshot = this.#target.snapshot, signal }: PageRangesOptions,
  ): Promise<SegmentResponse | undefined> {
    const { start, end } = segment;
    const ranges = new SegmentRanges(segment);
    const reader = new PageListReader(ranges);
    const headers = {
      "x-ms-range": `bytes=${start}-${end}`,
      ...(etag !== undefined && { "if-match": etag }),
    };
    try {
      const response = await this.#client.send(
        {
          method: "GET",
          path: this.#target.path,
          query: { comp: "pagelist", snapshot },
          headers,
          isWrite: false,
          // If a service does not join ranges, each page may be a range.
          maxBytes: ((end + 1 - start) / pageBytes) * maxRangeBytes + maxFrameBytes,
          limitMs: timeoutMs,
          take: (chunk) => reader.take(chunk),
        },
        { signal },
      );
      reader.end();
      return { ranges, size: sizeOf(response, ranges), etag: textOf(response.headers["etag"]) };
    } catch (error) {
      if (!StorageError.is(error)) throw error;
      // An empty blob has no ranges, and one that became smaller has no more.
      if (error.status === 416) return undefined;
      throw aboutBlob(error, this.url, segment);
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** @throws StorageError `storage.malformed-response` */
function sizeOf({ headers }: RawResponse, { lastEnd }: SegmentRanges): number {
  const text = textOf(headers["x-ms-blob-content-length"]) ?? "";
  const size = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (lastEnd < size) return size;
  throw malformedXml(
    Number.isNaN(size) ? "the blob's size is missing" : "a range of it is after the blob's end",
  );
}
