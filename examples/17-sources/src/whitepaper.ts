import { createTables } from "@partita/core";
import type { Source } from "./item.ts";
import { concurrency } from "./whitepaper/concurrency.ts";
import { consistency } from "./whitepaper/consistency.ts";
import { dataModel } from "./whitepaper/data-model.ts";
import { failures } from "./whitepaper/failures.ts";
import { Blog, Channel, Rated, Sample } from "./whitepaper/model.ts";
import { paging } from "./whitepaper/paging.ts";
import { partitions } from "./whitepaper/partitions.ts";
import { programming } from "./whitepaper/programming.ts";
import { queries } from "./whitepaper/queries.ts";
import { timeouts } from "./whitepaper/timeouts.ts";
import { tips } from "./whitepaper/tips.ts";
import { background, upgrading } from "./whitepaper/upgrading.ts";

/** The paper that introduced the table service, with the channels and blogs of its running example. */
export const whitepaper: Source = {
  title: "Windows Azure Table",
  async prepare(storage) {
    await createTables(storage, [Channel, Blog, Rated, Sample]);
  },
  chapters: [
    dataModel,
    partitions,
    programming,
    queries,
    concurrency,
    paging,
    consistency,
    tips,
    upgrading,
    background,
    failures,
    timeouts,
  ],
};
