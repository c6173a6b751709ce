// A page of 1,000 entities of 14 properties, from the bytes of an answer to instances.
import { createHttpHeaders } from "@azure/core-rest-pipeline";
import { TableClient } from "@azure/data-tables";
import { TableContext } from "@partita/core";
import { Article, type PageForm, pageText } from "./article.ts";
import { compare } from "./compare.ts";
import { storageOfPages } from "./stub-storage.ts";

const rows = 1000;

/** What each form of page may cost, untracked and tracked, beside parsing its text; nothing is asked where it is absent. */
const forms: readonly (readonly [form: PageForm, untracked?: number, tracked?: number])[] = [
  ["plain", 1.3, 1.7],
  ["ascii", 1.3, 1.7],
  ["whole Doubles", 1.4],
  ["odd rows"],
];

for (const [form, untracked, tracked] of forms) {
  const text = pageText(rows, form);
  const storage = storageOfPages(text);
  await compare({
    name: form === "plain" ? "page" : `page: ${form}`,
    title: `A page of 1,000 entities (${form}), for each entity`,
    clock: "thread",
    rounds: 21,
    units: rows,
    floor: { name: "JSON.parse of the same text", run: () => JSON.parse(text) as unknown },
    ours: [
      { name: "untracked", ...limit(untracked), run: () => read(storage, "noTracking") },
      { name: "tracked", ...limit(tracked), run: () => read(storage, "appendOnly") },
    ],
    peers: form === "plain" ? [officialClient(text)] : [],
  });
}

function limit(atMost: number | undefined): { readonly asked?: { readonly atMost: number } } {
  return atMost === undefined ? {} : { asked: { atMost } };
}

async function read(
  storage: ReturnType<typeof storageOfPages>,
  mergeOption: "noTracking" | "appendOnly",
): Promise<void> {
  const context = new TableContext(storage);
  const found = await context.query(Article).where({ shop: "shop-1" }).mergeOption(mergeOption).toArray();
  if (found.length !== rows) throw new Error(`Read ${found.length} rows.`);
}

/** The whole client over a stub transport. */
function officialClient(text: string): { readonly name: string; readonly run: () => Promise<void> } {
  const client = new TableClient("https://account.table.core.windows.net", "Articles", {
    httpClient: {
      sendRequest: (request) =>
        Promise.resolve({
          request,
          status: 200,
          headers: createHttpHeaders({ "content-type": "application/json;odata=minimalmetadata" }),
          bodyAsText: text,
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
