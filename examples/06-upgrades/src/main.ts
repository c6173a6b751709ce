import { createTables, openStorage, TableContext } from "@partita/core";
import { census, upgradeTable } from "@partita/maintenance";
import { Blog, BlogV1, BlogV2 } from "./versions.ts";

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [Blog]);
const at = (day: number): Date => new Date(Date.UTC(2008, 9, day, 10));
const channel = "Channel9";
const versions = async (): Promise<string> =>
  (await census(storage, [Blog])).map(({ version = "none", count }) => `${version}: ${count}`).join(", ");

// The first two releases wrote these.
await using v1 = new TableContext(storage);
for (const day of [1, 2, 3])
  v1.create(BlogV1, { channel, postedOn: at(day), text: `Post ${day}`, Rating: "A", Length: "6" });
await v1.saveChanges();
await using v2 = new TableContext(storage);
for (const day of [4, 5])
  v2.create(BlogV2, { channel, postedOn: at(day), text: `Post ${day}`, Length: "6", Author: "Ann" });
await v2.saveChanges();
console.log("Rows by version:", await versions());

// The third release reads them all, and asks for what they are now.
await using v3 = new TableContext(storage);
const blogs = v3.query(Blog).where({ channel });
for await (const blog of blogs) console.log(` ${blog.text}: ${blog.Author}, ${blog.Characters} characters`);
const byAnonymous = blogs.where((blog) => blog.Author.eq("anonymous"));
console.log("By anonymous:", await byAnonymous.count(), "·", String(byAnonymous.explain()));

// Touched and saved, a row is of the third version, as a whole.
const post = await v3.find(Blog, { channel, postedOn: at(1) });
if (post === undefined) throw new Error("The first post is missing.");
post.text = "Post 1, edited";
const [saved] = await v3.saveChanges();
console.log(`Saved by ${saved?.operation}; rows by version:`, await versions());

// The second release still runs: it reads the row of the third, and merges into it what it knows.
await using old = new TableContext(storage);
const [seen] = await old
  .query(BlogV2)
  .where({ channel, postedOn: at(1) })
  .toArray();
if (seen === undefined) throw new Error("The first post is missing.");
seen.Author = "Bo";
await old.saveChanges();
seen.text = undefined as never;
await old
  .saveChanges()
  .catch((error: { results: { error: { code: string } }[] }) =>
    console.log("The old release may not rewrite it:", error.results[0]?.error.code),
  );
const both = await v3.find(Blog, { channel, postedOn: at(1) }, { mergeOption: "overwriteChanges" });
console.log(`Both stay right: "${both?.text}" by ${both?.Author}, ${both?.Characters} characters`);

// The rest in the background; what an old release writes meanwhile is upgraded with it.
old.clear({ discard: true });
old.create(BlogV2, { channel, postedOn: at(6), text: "Post 6", Length: "6", Author: "Cy" });
await Promise.all([old.saveChanges(), upgradeTable(storage, [Blog])]);
const report = await upgradeTable(storage, [Blog]);
console.log("Clean:", report.isClean, "· rows by version:", await versions());
