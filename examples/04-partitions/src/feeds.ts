// The micro-blogging case study of the Azure guidance: the same posts with three partition schemes.
import { defineEntity, text } from "@partita/core";
import { month, newestFirst, slices, week } from "@partita/core/keys";

const post = { rowKey: { postedOn: newestFirst }, properties: { text: text() } } as const;

/** All posts of a channel in one partition. */
export class PostByChannel extends defineEntity({
  ...post,
  table: "PostsByChannel",
  partitionKey: { channel: text() },
}) {}

/** A partition for each month, the latest first. */
export class PostByMonth extends defineEntity({
  ...post,
  table: "PostsByMonth",
  partitionKey: { channel: text(), postedOn: month(newestFirst) },
}) {}

/** Months, and weeks in the season with many posts. */
export class PostBySeason extends defineEntity({
  ...post,
  table: "PostsBySeason",
  partitionKey: {
    channel: text(),
    postedOn: slices({ by: month(newestFirst) }, { months: [6, 7, 8], by: week(newestFirst) }),
  },
}) {}
