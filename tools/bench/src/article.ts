// The entity every codec benchmark uses: 14 properties beside its two keys, as a business row has them.
import { binary, bool, dateTime, defineEntity, double, guid, int32, int64, text } from "@partita/core";

export class Article extends defineEntity({
  table: "Articles",
  partitionKey: { shop: text() },
  rowKey: { sku: text() },
  properties: {
    name: text(),
    description: text(),
    maker: text(),
    country: text().optional(),
    price: double(),
    weight: double(),
    stock: int32(),
    sold: int32(),
    views: int64(),
    active: bool(),
    createdAt: dateTime(),
    changedAt: dateTime(),
    id: guid(),
    image: binary(),
  },
}) {}

export type ArticleValues = NonNullable<ConstructorParameters<typeof Article>[0]>;

export function articleValues(i: number): ArticleValues {
  return {
    shop: "shop-1",
    sku: `sku-${String(i).padStart(6, "0")}`,
    name: `Article number ${i}`,
    description: "A description of some forty characters …",
    maker: "A maker of things",
    country: "PT",
    price: 9.99 + i,
    weight: 1.5,
    stock: i,
    sold: i * 3,
    views: 9_007_199_254_740_993n + BigInt(i),
    active: i % 2 === 0,
    createdAt: new Date(Date.UTC(2020, 0, 1) + i * 1000),
    changedAt: new Date(Date.UTC(2026, 0, 1) + i * 1000),
    id: "4185404a-5818-48c3-b9be-f217df0dba6f",
    image: new Uint8Array(16).fill(i % 256),
  };
}

/** How the rows of a page are written. */
export type PageForm =
  /** As the service writes most pages: every row with the same members, and some letters outside ASCII. */
  | "plain"
  | "ascii"
  /** A tenth of the rows with whole Doubles, which the service writes as `7.0`. */
  | "whole Doubles"
  /** A tenth of the rows with a member that is not declared, one that is absent, and texts with escapes. */
  | "odd rows";

/** One page of the service's JSON with `count` articles, the first of which has the number `from`. */
export function pageText(count: number, form: PageForm = "plain", from: number = 0): string {
  const rows = Array.from({ length: count }, (_, i) => rowText(from + i, form));
  return `{"odata.metadata":"https://account.table.core.windows.net/$metadata#Articles","value":[${rows.join(",")}]}`;
}

function rowText(i: number, form: PageForm): string {
  const row = wireArticle(articleValues(i));
  const isTenth = i % 10 === 0;
  if (form === "ascii") return JSON.stringify(row).replaceAll("…", "...");
  if (form === "whole Doubles" && isTenth)
    return JSON.stringify(row).replace(/"weight":1\.5/, '"weight":7.0');
  return JSON.stringify(form === "odd rows" && isTenth ? oddRow(row, i) : row);
}

function oddRow(row: Readonly<Record<string, unknown>>, i: number): object {
  const { country: _absent, ...rest } = row;
  return { ...rest, description: `A "quoted" text\nof two lines, number ${i}`, shelf: `shelf ${i}` };
}

function wireArticle(a: ArticleValues): Readonly<Record<string, unknown>> {
  const date = (d: Date): string => `${d.toISOString().slice(0, 23)}4348Z`;
  return {
    "odata.etag": "W/\"datetime'2026-11-21T00%3A52%3A49.5924987Z'\"",
    PartitionKey: a.shop,
    RowKey: a.sku,
    Timestamp: "2026-11-21T00:52:49.5924987Z",
    name: a.name,
    description: a.description,
    maker: a.maker,
    country: a.country,
    price: a.price,
    weight: a.weight,
    stock: a.stock,
    sold: a.sold,
    "views@odata.type": "Edm.Int64",
    views: String(a.views),
    active: a.active,
    "createdAt@odata.type": "Edm.DateTime",
    createdAt: date(a.createdAt),
    "changedAt@odata.type": "Edm.DateTime",
    changedAt: date(a.changedAt),
    "id@odata.type": "Edm.Guid",
    id: a.id,
    "image@odata.type": "Edm.Binary",
    image: Buffer.from(a.image).toString("base64"),
  };
}
