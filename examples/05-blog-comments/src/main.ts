import { createTables, openStorage, TableContext } from "@partita/core";
import { ulid } from "@partita/decorators";
import { Blog, Comment } from "./blog.ts";
import { Item, Photo, Status, Video } from "./home-page.ts";

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [Blog, Comment, Item, Photo, Video, Status]);
const at = (day: number, hour: number): Date => new Date(Date.UTC(2008, 9, day, hour));

// Parent and children share a partition, so adding them is one transaction.
await using context = new TableContext(storage);
for (const day of [1, 2, 3]) {
  const key = { channel: "Channel 9", postedOn: at(day, 10) };
  context.create(Blog, { ...key, text: `Post of 2008-10-0${day}` });
  for (const author of ["Ann", "Bo"].slice(0, day))
    context.create(Comment, { ...key, id: ulid(), author, text: `${author} was here` });
}
await context.saveChanges({ batch: "atomic" });

// One range read returns posts and comments, which are matched by key.
await using reader = new TableContext(storage);
const latest = reader
  .query(Blog)
  .where((blog) => blog.channel.eq("Channel 9").and(blog.postedOn.ge(at(2, 0))))
  .include((blog) => blog.comments);
console.log("How:", latest.explain().requests.length, "request,", latest.explain().type);
for (const blog of await latest.toArray())
  console.log(` ${blog.text}: ${blog.comments.map(({ author }) => author).join(", ")}`);

// Two kinds in one query, with a condition on one of them.
const both = reader.query([Blog, Comment]).where({ channel: "Channel 9" });
const byAnn = await both.whereKind(Comment, (comment) => comment.author.eq("Ann")).toArray();
console.log(
  "All posts, and what Ann wrote:",
  byAnn.map((row) => (row instanceof Comment ? "comment" : "post")).join(" "),
);

// The home page: create, change and remove entities of several kinds, in one transaction.
const user = "chris";
const old = context.create(Status, { user, createdOn: at(1, 8), id: ulid(), text: "First" });
const video = context.create(Video, { user, createdOn: at(1, 9), id: ulid(), url: "run.mp4", seconds: 40 });
for (let i = 0; i < 120; i++)
  context.create(i % 3 === 0 ? Photo : Status, {
    user,
    createdOn: at(2 + Math.floor(i / 24), i % 24),
    id: ulid(),
    ...(i % 3 === 0 ? { url: `${i}.jpg`, width: 640 } : { text: `Thought ${i}` }),
  });
await context.saveChanges();
video.seconds = 41;
context.remove(old);
context.create(Photo, { user, createdOn: at(8, 12), id: ulid(), url: "summit.jpg" });
const results = await context.saveChanges({ batch: "atomic" });
console.log("One transaction:", results.map(({ operation }) => operation).join(", "));

const page = await reader.query(Item).where({ user }).take(100).toArray();
console.log(
  `The latest ${page.length}:`,
  page
    .slice(0, 3)
    .map((item) => item.line())
    .join(" · "),
  "…",
);
const photos = reader.query(Photo).where({ user });
console.log(`Photos only: ${await photos.count()} ·`, String(photos.explain()));
