import { createTables, defineEntity, int32, openStorage, TableContext, text } from "@partita/core";
import { newestFirst } from "@partita/core/keys";

class Channel extends defineEntity({
  table: "Channels",
  partitionKey: { owner: text() },
  rowKey: { name: text() },
  properties: { title: text() },
}) {}

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), rating: int32().default(0) },
}) {}

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [Channel, Blog]);

// Insert: two tables, so two requests. All posts of a channel share a partition, so one transaction stores
// them.
await using context = new TableContext(storage);
context.create(Channel, { owner: "chris", name: "Channel9", title: "Behind the scenes" });
const posts = ["Hello", "Tables are simple", "Keys matter", "Goodbye"].map((line, day) =>
  context.create(Blog, {
    channel: "Channel9",
    postedOn: new Date(Date.UTC(2008, 9, 1 + day, 10)),
    text: line,
    rating: day,
  }),
);
await context.saveChanges();
console.log("Stored:", posts.length, "blogs of Channel9, the latest under RowKey order first");

// Query: rating == 3. The partition is a key range, and the service filters the rating.
const rated = context.query(Blog).where((blog) => blog.channel.eq("Channel9").and(blog.rating.eq(3)));
console.log("How:", String(rated.explain()));
for await (const blog of rated) console.log("Rated 3:", blog.text);

// Update: only the changed property is sent, under the version that was read.
const first = await context.find(Blog, { channel: "Channel9", postedOn: new Date("2008-10-01T10:00:00Z") });
if (first === undefined) throw new Error("The first blog is missing.");
first.text = "Hello again";
await context.saveChanges();

// Delete.
context.remove(first);
await context.saveChanges();

// A batch: inserts, an update and a delete in one partition, atomically.
const [, second, third, fourth] = posts;
context.create(Blog, {
  channel: "Channel9",
  postedOn: new Date("2008-10-10T10:00:00Z"),
  text: "Back in one piece",
});
context.create(Blog, {
  channel: "Channel9",
  postedOn: new Date("2008-10-11T10:00:00Z"),
  text: "And one more",
  rating: 5,
});
if (second !== undefined) second.rating = 4;
if (third !== undefined) third.text = "Keys decide";
if (fourth !== undefined) context.remove(fourth);
const results = await context.saveChanges({ batch: "atomic" });
console.log("One transaction:", results.map((result) => result.operation).join(", "));

await using reader = new TableContext(storage);
console.log("Channel9 now:");
for await (const blog of reader.query(Blog).where({ channel: "Channel9" }))
  console.log(`  ${blog.postedOn.toISOString().slice(0, 10)}  ${blog.rating}  ${blog.text}`);
