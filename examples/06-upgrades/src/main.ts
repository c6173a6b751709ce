import { createTables, openStorage, TableContext } from "@partita/core";
import { census, upgradeTable } from "@partita/maintenance";
import { Blog, BlogV1, BlogV2, BlogV3 } from "./versions.ts";

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [Blog]);
const at = (day: number): Date => new Date(Date.UTC(2008, 9, day, 10));
const channel = "Channel9";
const versions = async (): Promise<string> =>
  (await census(storage, [Blog])).map(({ version = "none", count }) => `${version}: ${count}`).join(", ");

// The first two releases wrote these rows.
await using v1 = new TableContext(storage);
for (const day of [1, 2, 3])
  v1.create(BlogV1, { channel, postedOn: at(day), text: `Post ${day}`, Rating: "A", Length: "6" });
await v1.saveChanges();
await using v2 = new TableContext(storage);
for (const day of [4, 5])
  v2.create(BlogV2, { channel, postedOn: at(day), text: `Post ${day}`, Length: "6", Author: "Ann" });
await v2.saveChanges();
console.log("Rows by version:", await versions());

// The third release reads all of them, with conditions on the current properties.
await using v3 = new TableContext(storage);
const blogs = v3.query(BlogV3).where({ channel });
for await (const blog of blogs) console.log(` ${blog.text}: ${blog.Author}, ${blog.Characters} characters`);
const byAnonymous = blogs.where((blog) => blog.Author.eq("anonymous"));
console.log("By anonymous:", await byAnonymous.count(), "·", String(byAnonymous.explain()));

// If you change and save a row, it is stored in the oldest version that the third release supports.
const post = await v3.find(BlogV3, { channel, postedOn: at(1) });
if (post === undefined) throw new Error("The first post is missing.");
post.Characters = 14;
const [saved] = await v3.saveChanges();
console.log(`Saved by ${saved?.operation}; rows by version:`, await versions());

// The second release still runs: it reads rows of the third, and the third reads its rows.
await using old = new TableContext(storage);
const seen = await old.find(BlogV2, { channel, postedOn: at(1) });
if (seen === undefined) throw new Error("The first post is missing.");
console.log("The second release reads the length", seen.Length);
seen.Length = "15";
seen.Author = "Bo";
await old.saveChanges();
await v3.reload(post);
console.log(`The third release reads ${post.Characters} characters by ${post.Author}`);

// Support has ended. Rows are upgraded in the background, including rows that the third release writes
// meanwhile.
v3.create(BlogV3, { channel, postedOn: at(6), text: "Post 6", Author: "Cy", Characters: 6 });
await Promise.all([v3.saveChanges(), upgradeTable(storage, [Blog])]);
const report = await upgradeTable(storage, [Blog]);
console.log("Clean:", report.isClean, "· rows by version:", await versions());

// An unsupported release may read, but its writes are refused.
await old.reload(seen);
seen.text = "Post 1, edited";
await old
  .saveChanges()
  .catch((error: { results: { error: { code: string } }[] }) =>
    console.log("The second release may not write:", error.results[0]?.error.code),
  );
old.clear({ discard: true });
