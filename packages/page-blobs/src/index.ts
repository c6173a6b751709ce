// Page blobs: finds the written pages of a large blob, read in segments to avoid timeouts.

export { openPageBlob } from "./open-page-blob.ts";
export type { OpenPageBlobOptions } from "./page-blob-options.ts";
export type { PageBlob, PageRange, PageRangesOptions, PageRangesProgress } from "./page-blob.ts";
