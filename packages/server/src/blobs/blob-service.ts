import type { WireService } from "../http/admit-request.ts";
import type { BlobStore } from "./blob-store.ts";

/** The state of a blob server. */
export interface BlobService extends WireService {
  readonly blobs: BlobStore;
  /** For a longer list of ranges, the server responds with `OperationTimedOut`. */
  readonly maxRangesPerResponse: number;
}
