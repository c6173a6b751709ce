// A page of 1,000 entities of 14 properties, from the bytes of a response to instances.
import { createHttpHeaders } from "@azure/core-rest-pipeline";
import { TableClient } from "@azure/data-tables";
import { TableContext } from "@partita/core";
import { Article, type PageForm, pageText } from "./article.ts";
import { compare } from "./compare.ts";
import type { Target } from "./report.ts";
import { storageOfPages } from "./stub-storage.ts";

const rows = 1000;
/** Pages of each form, read in turns, so that cached data of one page does not help with the next. */
const different = 10;

/**
 * A client has bytes, and must first decode them to text. The targets of most pages compare with parsing
 * alone, which costs less.
 */
const of = "JSON.parse of its text, ready";

/** The targets of each form of page, untracked and tracked. Absent if there is no target. */
const forms: readonly (readonly [form: PageForm, untracked?: Target, tracked?: Target])[] = [
  ["plain", { atMost: 1.35, of, goal: 1.25 }, { atMost: 1.68, of, goal: 1.55 }],
  ["long texts", { atMost: 1.5, of, goal: 1.3 }, { atMost: 1.9, of, goal: 1.7 }],
  ["ascii", { atMost: 1.3 }, { atMost: 1.7 }],
  ["whole Doubles", { atMost: 1.4 }],
  ["odd rows"],
];

for (const [form, untracked, tracked] of forms) {
  const pages = Array.from({ length: different }, (_, i) => Buffer.from(pageText(rows, form, i * rows)));
  const storages = inTurns(pages.map((bytes) => storageOfPages(bytes)));
  const next = inTurns(pages);
  const texts = inTurns(pages.map(String));
  await compare({
    name: form === "plain" ? "page" : `page: ${form}`,
    title: `A page of 1,000 entities (${form}), for each entity`,
    clock: "thread",
    rounds: 21,
    units: rows,
    baseline: {
      name: "bytes to text, JSON.parse",
      run: () => JSON.parse(next().toString()) as unknown,
    },
    ours: [
      { name: "untracked", ...withTarget(untracked), run: () => read(storages(), "noTracking") },
      { name: "tracked", ...withTarget(tracked), run: () => read(storages(), "appendOnly") },
    ],
    peers: [
      { name: of, run: () => JSON.parse(texts()) as unknown },
      ...(form === "plain" ? [officialClient(next)] : []),
    ],
  });
}

function inTurns<Item>(items: readonly Item[]): () => Item {
  let at = 0;
  return () => items[at++ % items.length] as Item;
}

function withTarget(target: Target | undefined): { readonly target?: Target } {
  return target === undefined ? {} : { target };
}

async function read(
  storage: ReturnType<typeof storageOfPages>,
  mergeOption: "noTracking" | "appendOnly",
): Promise<void> {
  const context = new TableContext(storage);
  const found = await context.query(Article).where({ shop: "shop-1" }).mergeOption(mergeOption).toArray();
  if (found.length !== rows) throw new Error(`Read ${found.length} rows.`);
}

/** The complete client with a stub transport. */
function officialClient(next: () => Buffer): { readonly name: string; readonly run: () => Promise<void> } {
  const client = new TableClient("https://account.table.core.windows.net", "Articles", {
    httpClient: {
      sendRequest: (request) =>
        Promise.resolve({
          request,
          status: 200,
          headers: createHttpHeaders({ "content-type": "application/json;odata=minimalmetadata" }),
          bodyAsText: next().toString(),
        }),
    },
  });
  return {
    name: "@azure/data-tables",
    run: async () => {
      for await (const page of client.listEntities().byPage()) void page.length;
    },
  };
}
