// pnpm walks [--list | --json | --update]: counts the source files and functions of packages/core/src that run for one save, one find, one
// query of one row and one transaction over `memory:`. `--list` names them, file by file; `--json` is for the test that
// limits the counts (packages/core/test/walks.service.test.ts); `--update` writes them into ARCHITECTURE.md.
//
// What is counted: each function of packages/core/src that V8's precise coverage saw called between the public call and
// its answer, once, however often it ran: methods, arrow functions and callbacks without a name included. What is not:
// the bodies of modules, field initializers that V8 reports as functions, other packages, and what runs once only
// (loading, compiling a comparison, preparing a statement): each call is made several times before it is counted. V8 must
// not inline functions into others meanwhile, which hides them from the count: run with --no-opt --no-maglev.
import { readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
// The sources themselves, whatever the package ships.
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  text,
} from "../../packages/core/src/index.ts";

const source = /\/packages\/core\/src\/(.+)$/;
const warmUps = 20;

// Time stands still: a read of the embedded store that comes late waits for a turn of its own, which is another walk.
const time = performance.now();
performance.now = () => time;

const Blog = defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { number: text() },
  properties: { title: text(), text: text(), likes: int32() },
});
const keyOf = (number) => ({ channel: "Channel9", number });

const storage = await openStorage("memory:");
await createTables(storage, [Blog]);
const writer = new TableContext(storage);
const blogs = ["1", "2", "3"].map((number) =>
  writer.create(Blog, { ...keyOf(number), title: "One", text: "Text", likes: 0 }),
);
await writer.saveChanges();

/** What is counted, and what is done before it without being counted. */
const walks = {
  "a save of one changed property": {
    before: () => blogs[0].likes++,
    call: () => writer.saveChanges(),
  },
  "a find": {
    before: () => new TableContext(storage),
    call: (context) => context.find(Blog, keyOf("1")),
  },
  "a query of one row": {
    before: () =>
      new TableContext(storage)
        .query(Blog)
        .where((blog) => blog.channel.eq("Channel9").and(blog.number.eq("1"))),
    call: (query) => query.toArray(),
  },
  "a transaction of three entities": {
    before: () => blogs.forEach((blog) => blog.likes++),
    call: () => writer.saveChanges(),
  },
};

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

const lists = process.argv.includes("--list");
const isJson = process.argv.includes("--json");
const counts = {};
for (const [name, walk] of Object.entries(walks)) {
  for (let i = 0; i < warmUps; i++) await walk.call(walk.before());
  const files = await filesOf(walk);
  counts[name] = { files: files.size, functions: countOf(files) };
  if (!isJson) console.log(`${name}: ${files.size} files, ${countOf(files)} functions`);
  if (lists) for (const [file, names] of files) console.log(`  ${file}: ${names.join(", ")}`);
}
if (isJson) console.log(JSON.stringify(counts));
if (process.argv.includes("--update")) {
  const text = readFileSync("ARCHITECTURE.md", "utf8");
  writeFileSync("ARCHITECTURE.md", Object.entries(counts).reduce(withCounts, text));
}
await writer[Symbol.asyncDispose]();
await storage.close();

/** A table with the counts of one call, in columns as wide as they were. */
function withCounts(text, [name, { files, functions }]) {
  return text.replace(
    new RegExp(`^(\\| ${name} +\\|)( +\\d+)( \\|)( +\\d+)( \\|)$`, "m"),
    (_, title, first, bar, second, end) =>
      title + String(files).padStart(first.length) + bar + String(functions).padStart(second.length) + end,
  );
}

/** What one call runs. */
async function filesOf({ before, call }) {
  const prepared = before();
  // Taking the counts sets them to zero.
  await session.post("Profiler.takePreciseCoverage");
  await call(prepared);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return functionsByFile(result);
}

function countOf(files) {
  return [...files.values()].reduce((sum, names) => sum + names.length, 0);
}

/** The functions that ran, by file, in the order they stand there. */
function functionsByFile(scripts) {
  const files = new Map();
  for (const { url, functions } of scripts) {
    const file = source.exec(url)?.[1];
    if (file === undefined) continue;
    const ran = functions.filter(
      ({ functionName, ranges: [whole] }) => whole.count > 0 && !isInitializer(functionName),
    );
    // The body of a module comes first, and does not run again.
    const names = ran.map(({ functionName }) => functionName || "(anonymous)");
    if (names.length > 0) files.set(file, names);
  }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isInitializer(name) {
  return name === "<instance_members_initializer>" || name === "<static_initializer>";
}
