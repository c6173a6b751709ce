import { blocks } from "./bigdata/blocks.ts";
import { blockIds } from "./bigdata/block-ids.ts";
import { metadata } from "./bigdata/metadata.ts";
import { queues } from "./bigdata/queues.ts";
import { streams } from "./bigdata/streams.ts";
import { versions } from "./bigdata/versions.ts";
import { zones } from "./bigdata/zones.ts";
import type { Source } from "./item.ts";

/** A file system of versions and blocks over two indexes. */
export const bigdata: Source = {
  title: "BigdataFileSystem",
  chapters: [versions, metadata, blockIds, blocks, streams, queues, zones],
};
