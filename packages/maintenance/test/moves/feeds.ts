import { defineEntity, int32, text } from "@partita/core";
import { month, newestFirst, week } from "@partita/core/keys";

const post = {
  table: "Posts",
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), old: int32().optional(), new: int32().optional() },
} as const;

/** The feed of a channel in slices of a month. */
export class PostByMonth extends defineEntity({
  ...post,
  partitionKey: { channel: text(), postedOn: month(newestFirst) },
}) {}

/** The same in slices of a week. */
export class Post extends defineEntity({
  ...post,
  partitionKey: { channel: text(), postedOn: week(newestFirst) },
  formerKeys: PostByMonth,
}) {}

/** The key of the n-th post: one every seven hours, in two channels. */
export const keyOf = (n: number): { channel: string; postedOn: Date } => ({
  channel: n % 2 === 0 ? "c8" : "c9",
  postedOn: new Date(Date.UTC(2026, 0, 1) + n * 7 * 3_600_000),
});
