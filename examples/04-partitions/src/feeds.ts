// The micro-blogging case study of the Azure guidance: the same posts under three partition schemes.
import { defineEntity, text } from "@partita/core";
import { month, newestFirst, slices, week } from "@partita/core/keys";

const post = { rowKey: { postedOn: newestFirst }, properties: { text: text() } } as const;

/** Everything a channel ever posted in one partition. */
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

/** Months off season; weeks in season, when there is much to post. */
export class PostBySeason extends defineEntity({
  ...post,
  table: "PostsBySeason",
  partitionKey: {
    channel: text(),
    postedOn: slices({ by: month(newestFirst) }, { months: [6, 7, 8], by: week(newestFirst) }),
  },
}) {}
