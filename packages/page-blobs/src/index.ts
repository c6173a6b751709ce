// Page blobs: which pages of a large one are written, read in segments that are answered in time.

export { openPageBlob } from "./open-page-blob.ts";
export type { OpenPageBlobOptions } from "./page-blob-options.ts";
export type { PageBlob, PageRange, PageRangesOptions, PageRangesProgress } from "./page-blob.ts";
