import type { Source } from "./item.ts";
import { messages } from "./page-blobs/messages.ts";
import { ranges } from "./page-blobs/ranges.ts";

/** The article on the page ranges of large blobs, and the posts on queues. */
export const pageBlobs: Source = {
  title: "Page ranges and queues of Azure Storage",
  chapters: [ranges, messages],
};
