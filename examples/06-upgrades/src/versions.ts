// Three versions of one class, in four releases of a program. Only the last version stays in its source.
import { defineEntity, int32, text } from "@partita/core";
import { newestFirst } from "@partita/core/keys";
import { add, remove, retype, upgrades } from "@partita/core/upgrades";

const keys = {
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
} as const;

/** The first release, without versions. A later release may drop the length, so it is optional. */
export class BlogV1 extends defineEntity({
  ...keys,
  properties: { text: text(), Rating: text(), Length: text().optional() },
}) {}

const first = upgrades({ text: text(), Rating: text(), Length: text().optional() });
const second = first.to(2, add("Author", text(), "anonymous"), remove("Rating"));
const third = second.to(
  3,
  retype(
    "Length",
    "Characters",
    int32(),
    (length: string | undefined) => Number.parseInt(length ?? "0", 10),
    {
      back: String,
    },
  ),
);

/** The second release adds an author and drops the rating. */
export class BlogV2 extends defineEntity({
  ...keys,
  properties: { text: text(), Length: text().optional(), Author: text() },
  version: second,
}) {}

const properties = { text: text(), Author: text(), Characters: int32() } as const;

/** The third release counts characters as a number, under a new name, while the second one still runs. */
export class BlogV3 extends defineEntity({ ...keys, properties, version: third.supports(2) }) {}

/** The fourth release is the third one without support for the second. */
export class Blog extends defineEntity({ ...keys, properties, version: third }) {}
