// What the snippets of guides take for granted: each name that a snippet uses and does not declare is imported from here,
// from an earlier snippet of its guide, or from a package.
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "@partita/core";
import { newestFirst } from "@partita/core/keys";
import { anyText, definePatterns, pattern } from "@partita/patterns";
import { openPageBlob, type PageBlob } from "@partita/page-blobs";
import { type Files, tableFiles, type StoredFile } from "@partita/files";
import { startPageBlobServer, startTableServer } from "@partita/server";

export class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), rating: int32().default(0) },
}) {}

export const channel = "Channel9";
const dayOf = (day: number): Date => new Date(Date.UTC(2008, 9, day));

export const from: Date = dayOf(1);
export const to: Date = dayOf(31);
export const postedOn: Date = dayOf(1);
export const source = "import";

/** Questions about blogs. */
export const patterns = definePatterns({
  "of a channel": pattern(Blog, { channel: anyText() }, (query, values) => query.where(values), {
    atMost: "partition scan",
  }),
});

export const inner = await openStorage("memory:");
export const server = await startTableServer();
export const storage = await openStorage("memory:");
export const { connectionString } = server;
/** A file system with a note and a log. */
export const files: Files = tableFiles(inner, { name: "Docs" });
await files.write("/notes/a.txt", "Hello");
export const log: StoredFile = await files.create("/logs/app");
await log.append("started\n");
const blobs = await startPageBlobServer();
const whole = { start: 0, end: 40 * 1024 ** 3 - 1 };
blobs.putPageBlob("vhds/disk.vhd", { size: whole.end + 1, ranges: [whole] });
/** A page blob of 40 GB that is written from end to end. */
export const disk: PageBlob = await openPageBlob(blobs.connectionString, { blob: "vhds/disk.vhd" });
export const accountKey: string = /AccountKey=([^;]+)/.exec(connectionString)?.[1] ?? "";
export const [first, second] = [accountKey, accountKey];
export const inAnHour: Date = new Date(Date.now() + 3_600_000);
process.env["TABLES_CONNECTION_STRING"] = connectionString;

/** Stands for a credential of `@azure/identity`. */
export class DefaultAzureCredential {
  async getToken(): Promise<{ token: string; expiresOnTimestamp: number }> {
    return { token: "token", expiresOnTimestamp: Date.now() + 3_600_000 };
  }
}
export const credential: DefaultAzureCredential = new DefaultAzureCredential();

for (const each of [storage, inner, await openStorage(connectionString)])
  for (const table of ["Blogs", "Claims", "Orders", "Posts"]) await each.createTable(table);
await createTables(storage, [Blog]);

export const context: TableContext = new TableContext(storage);
for (const day of [1, 2, 3]) context.create(Blog, { channel, postedOn: dayOf(day), text: "Hello" });
await context.saveChanges();
export const [blog, row]: [Blog, Blog] = [await stored(1), await stored(2)];

/** What a client posted. */
export const body: string = JSON.stringify({ channel, postedOn: dayOf(4).toISOString(), text: "Posted" });
export const response = { end: (_text: string): void => undefined };

export async function work(_row: Blog): Promise<void> {}

/** Reads one entity and saves three. */
export async function publish(own: TableContext): Promise<void> {
  await new TableContext(storage).find(Blog, { channel, postedOn });
  for (const day of [5, 6, 7]) own.create(Blog, { channel, postedOn: dayOf(day), text: "Published" });
  await own.saveChanges();
}

async function stored(day: number): Promise<Blog> {
  return context
    .query(Blog)
    .where({ channel, postedOn: dayOf(day) })
    .single();
}
