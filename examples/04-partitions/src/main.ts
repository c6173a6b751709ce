import { createTables, openStorage, type Query, TableContext } from "@partita/core";
import { PostByChannel, PostByMonth, PostBySeason } from "./feeds.ts";
import { moveFeed } from "./move-feed.ts";
import { Runner } from "./races.ts";

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [PostByChannel, PostByMonth, PostBySeason, Runner]);

/** Runs a query, and prints its plan and the number of requests. */
async function ask<Entity extends object>(
  question: string,
  of: (context: TableContext) => Query<Entity>,
): Promise<Entity[]> {
  let requests = 0;
  await using context = new TableContext(storage, { hooks: { sending: () => void requests++ } });
  const query = of(context);
  const response = await query.toArray();
  const { type, rating } = query.explain();
  console.log(`  ${question}: ${response.length} found · ${type} (${rating}) · ${requests} request(s)`);
  return response;
}

// A post a day for two years.
await using writer = new TableContext(storage);
const days = Array.from({ length: 731 }, (_, i) => new Date(Date.UTC(2008, 0, 1 + i, 10)));
for (const Post of [PostByChannel, PostByMonth, PostBySeason])
  for (const postedOn of days) writer.create(Post, { channel: "Channel9", postedOn, text: "Hello" });
await writer.saveChanges();

for (const Post of [PostByChannel, PostByMonth, PostBySeason]) {
  console.log(`\n${Post.name}`);
  const posts = (context: TableContext): Query<InstanceType<typeof Post>> =>
    context.query<InstanceType<typeof Post>>(Post).where((post) => post.channel.eq("Channel9"));
  const between = (from: string, to: string) => (context: TableContext) =>
    posts(context).where((post) => [post.postedOn.ge(new Date(from)), post.postedOn.lt(new Date(to))]);
  await ask("latest 10", (context) => posts(context).take(10));
  await ask("posts of 3 July", between("2008-07-03", "2008-07-04"));
  await ask("June and July", between("2008-06-01", "2008-08-01"));
  await ask("a whole year", between("2008-01-01", "2009-01-01"));
}

console.log("\nRaces");
const race = { race: "2011 New York City Marathon", distance: "Full" };
for (const [bib, name, gender, age] of [
  [1234, "John", "M", 55],
  [1301, "Ann", "F", 31],
  [77, "Bo", "M", 47],
] as const)
  writer.create(Runner, { ...race, bib, name, gender, age });
await writer.saveChanges();
const numbered = await ask("bibs 1000 to 1999", (context) =>
  context
    .query(Runner)
    .where(race)
    .where((runner) => runner.bib.between(1000, 1999)),
);
for (const { bib, name, age } of numbered) console.log(`    ${bib}  ${name}, ${age}`);
await ask("who is 47", (context) => context.query(Runner).where(race).where({ age: 47 }));
await ask("all women of all races", (context) => context.query(Runner).where({ gender: "F" }).scan());
console.log("   ", String(writer.query(Runner).where({ gender: "F" }).explain()));
await ask("women of all races, unasked", (context) => context.query(Runner).where({ gender: "F" })).catch(
  (error: unknown) => console.log("    refused:", (error as Error).message),
);

console.log("\nFrom months to weeks");
await moveFeed(storage);
