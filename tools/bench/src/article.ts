// The entity of every codec benchmark: two keys and 14 properties, like a typical business row.
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

/** Values like those of real rows: each has its own texts, numbers, dates, bytes and GUID. */
export function articleValues(i: number, shop: string = "shop-1"): ArticleValues {
  const { name, description, maker, id, image } = fixedOf(i);
  return {
    shop,
    sku: `sku-${String(i).padStart(6, "0")}`,
    name,
    description,
    maker,
    country: countries[i % countries.length] as string,
    price: (999 + 100 * i) / 100,
    weight: (i % 400) + 0.25,
    stock: (i * 7919) % 1000,
    sold: i * 3,
    views: 9_007_199_254_740_993n + BigInt(i) * 7919n,
    active: i % 3 !== 0,
    createdAt: new Date(Date.UTC(2020, 0, 1) + i * 7_654_321),
    changedAt: new Date(Date.UTC(2026, 0, 1) + i * 98_765),
    id,
    image: image.slice(),
  };
}

const countries = ["PT", "DE", "BR", "JP", "IE"];
const words = "oak chair with two arms and a seat of woven cane that was made to last".split(" ");

interface Fixed {
  readonly name: string;
  readonly description: string;
  readonly maker: string;
  readonly id: string;
  readonly image: Uint8Array;
}

const fixed: Fixed[] = [];

/** Built once for each number, so contenders spend their time on the measured work. */
function fixedOf(i: number): Fixed {
  return (fixed[i] ??= {
    name: flat(`${sentence(i, 12)} no. ${i}`),
    description: flat(sentence(i * 3, 44)),
    maker: flat(`${sentence(i * 5, 8)} & Sons`),
    id: flat(guidOf(i)),
    image: Buffer.from(guidOf(i * 7).replaceAll("-", ""), "hex"),
  });
}

/** The same text as one string, like text that was read. V8 represents joined or cut text by its parts. */
const flat = (text: string): string => Buffer.from(text).toString();

/** Words chosen by a number. Every fourth text has letters outside Latin 1. */
function sentence(seed: number, length: number): string {
  let text = seed % 4 === 0 ? "Łódź:" : "";
  for (let at = 0; text.length < length; at++)
    text += ` ${words[(mixed(seed + at * 7919) >>> 8) % words.length]}`;
  return text.trim().slice(0, length);
}

const guidOf = (i: number): string =>
  [0, 1, 2, 3]
    .map((part) =>
      mixed(i * 4 + part)
        .toString(16)
        .padStart(8, "0"),
    )
    .join("")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** 32 pseudo-random bits: the last steps of MurmurHash3. */
function mixed(i: number): number {
  let bits = Math.imul((i + 1) ^ (i >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** The form of a page's rows. */
export type PageForm =
  /**
   * The form of most pages of the service: every row has the same members, and some letters are outside
   * ASCII.
   */
  | "plain"
  | "ascii"
  /** Each row has a text of 350 characters. */
  | "long texts"
  /** A tenth of the rows with whole Doubles, which the service writes as `7.0`. */
  | "whole Doubles"
  /** A tenth of the rows with an undeclared member, a missing one, and texts with escapes. */
  | "odd rows";

/** One page of the service's JSON with `count` articles, starting at the number `from`. */
export function pageText(count: number, form: PageForm = "plain", from: number = 0): string {
  const rows = Array.from({ length: count }, (_, i) => rowText(from + i, form));
  return `{"odata.metadata":"https://account.table.core.windows.net/$metadata#Articles","value":[${rows.join(",")}]}`;
}

function rowText(i: number, form: PageForm): string {
  const row = wireArticle(articleValues(i), i);
  const isTenth = i % 10 === 0;
  if (form === "ascii") return JSON.stringify(row).replaceAll("Łódź", "Lodz");
  if (form === "long texts") return JSON.stringify({ ...row, description: sentence(i, 350) });
  if (form === "whole Doubles" && isTenth)
    return JSON.stringify(row).replace(/"weight":[\d.]+/, '"weight":7.0');
  return JSON.stringify(form === "odd rows" && isTenth ? oddRow(row, i) : row);
}

function oddRow(row: Readonly<Record<string, unknown>>, i: number): object {
  const { country: _absent, ...rest } = row;
  return { ...rest, description: `A "quoted" text\nof two lines, number ${i}`, shelf: `shelf ${i}` };
}

function wireArticle(a: ArticleValues, i: number): Readonly<Record<string, unknown>> {
  const date = (d: Date): string => `${d.toISOString().slice(0, 23)}4348Z`;
  const written = new Date(Date.UTC(2026, 10, 21) + i * 54_321).toISOString().slice(0, -1);
  const Timestamp = `${written}${String((i * 7919) % 10_000).padStart(4, "0")}Z`;
  return {
    "odata.etag": `W/"datetime'${encodeURIComponent(Timestamp)}'"`,
    PartitionKey: a.shop,
    RowKey: a.sku,
    Timestamp,
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
