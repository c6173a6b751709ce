import type { WireService } from "../http/admit-request.ts";
import type { BlobStore } from "./blob-store.ts";

/** What a server of page blobs serves. */
export interface BlobService extends WireService {
  readonly blobs: BlobStore;
  /** A list of more ranges is answered with `OperationTimedOut`. */
  readonly maxRangesPerResponse: number;
}
