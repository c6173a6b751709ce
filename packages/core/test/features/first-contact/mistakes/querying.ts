import { great, type Mistake, ok, silent, works } from "../mistake.ts";

const tech = `context.query(Blog).where({ channel: "tech" })`;

/** Mistakes in finds and queries. */
export const querying: readonly Mistake[] = [
  great(
    "find() gets a text",
    `await context.find(Blog, "tech");`,
    "key.not-an-object",
    /Its key is \{ channel: …, postedOn: … \}/,
  ),
  great(
    "find() gets a part of the key",
    `await context.find(Blog, { channel: "tech" });`,
    "key.missing-part",
    /Blog\.postedOn.*missing/,
  ),
  great(
    "a part of the key is misspelt",
    `await context.find(Blog, { ...key, channel: undefined, chanel: "tech" });`,
    "key.missing-part",
    /Is chanel misspelt\?/,
  ),
  great(
    "find() gets a name",
    `await context.find("Blog", key);`,
    "model.not-an-entity",
    /got a string\. Pass a class/,
  ),
  great(
    "query() of a storage gets a class",
    `await storage.query(Blog, {});`,
    "storage.invalid-resource-name",
    /for a class, use new TableContext\(storage\)/,
  ),
  ok("find() is findOne(), as in TypeORM", `await context.findOne(Blog, key);`, /findOne is not a function/),
  ok(
    "what find() did not find is read",
    `const blog = await context.find(Blog, { ...key, channel: "none" });\nblog.title;`,
    /of undefined \(reading 'title'\)/,
  ),
  great(
    "== compares",
    `await context.query(Blog).where((b) => b.channel == "tech").toArray();`,
    "query.condition-operator",
    /JavaScript's == .*eq, ne, gt/,
  ),
  great(
    "&& joins",
    `await context.query(Blog).where((b) => b.channel.eq("tech") && b.rating.ge(3)).toArray();`,
    "query.predicate-dropped",
    /\.and\(\) or \.or\(\)/,
  ),
  great(
    "a function with braces returns nothing",
    `await context.query(Blog).where((b) => { b.channel.eq("tech"); }).toArray();`,
    "query.not-a-predicate",
    /braces needs a return/,
  ),
  great(
    "the function is async",
    `await context.query(Blog).where(async (b) => b.channel.eq("tech")).toArray();`,
    "query.not-a-predicate",
    /must not be async/,
  ),
  great(
    "a property is misspelt",
    `await context.query(Blog).where({ chanel: "tech" }).toArray();`,
    "query.unknown-property",
    /"chanel".*Declared: channel/,
  ),
  great(
    "a number is compared with a text",
    `await ${tech}.where({ rating: "5" }).toArray();`,
    "query.wrong-type",
    /Blog\.rating.*takes a value of Int32/,
  ),
  great(
    "a variable is undefined",
    `await context.query(Blog).where({ channel: undefined }).toArray();`,
    "query.undefined-value",
    /compared with undefined.*Check the variable/,
  ),
  great(
    "a list stands for in()",
    `await context.query(Blog).where({ channel: ["tech", "food"] }).toArray();`,
    "query.wrong-type",
    /b\.channel\.in\(\[…\]\)/,
  ),
  great(
    "an operator is an object, as in Prisma",
    `await ${tech}.where({ rating: { gt: 3 } }).toArray();`,
    "query.wrong-type",
    /b\.rating\.gt\(…\)/,
  ),
  great(
    "options are those of Prisma",
    `await context.query(Blog, { where: { channel: "tech" } }).toArray();`,
    "query.option",
    /query\(Blog\)\.where\(\{ channel \}\)/,
  ),
  great(
    "where() gets two conditions",
    `await ${tech}.where({ rating: 0 }, { title: "x" }).toArray();`,
    "query.not-a-predicate",
    /one condition, but got several arguments/,
  ),
  great(
    "a query is awaited",
    `const blogs = await ${tech};\nblogs.length;`,
    "query.not-an-array",
    /await query\.toArray\(\)/,
  ),
  great(
    "a query is iterated with for…of",
    `for (const blog of ${tech}) blog;`,
    "query.not-an-array",
    /for await/,
  ),
  great(
    "a query is the body of a response",
    `JSON.stringify({ blogs: await ${tech} });`,
    "query.not-an-array",
    /as JSON.*toArray/,
  ),
  works(
    "an asynchronous function returns a query",
    `const load = async () => ${tech};\nawait (await load()).toArray();`,
  ),
  // Queries are immutable. The rule `used-queries` of our lint plugin finds this.
  silent(
    "the result of where() is dropped",
    `const query = ${tech};\nquery.where({ rating: 5 });\nawait query.toArray();`,
  ),
  great(
    "the query reads the table",
    `await context.query(Blog).toArray();`,
    "query.scan-refused",
    /does not say channel.*\.scan\(\)/,
  ),
  great(
    "the search text is empty",
    `await context.query(Blog).where((b) => b.channel.startsWith("")).toArray();`,
    "query.scan-refused",
    /leave channel open, as .*startsWith\(""\)/,
  ),
  great(
    "filter() is an array's",
    `${tech}.filter((b) => b.rating > 3);`,
    "query.not-a-filter",
    /filterInMemory\(\)/,
  ),
  ok("sortBy() is orderBy()", `await ${tech}.orderBy("rating").toArray();`, /orderBy is not a function/),
  great(
    "include() gets a name",
    `await context.query(Order).where({ shop: "a" }).include("lines").toArray();`,
    "query.include",
    /include\(\(each\) => each\.lines\)/,
  ),
  great("page() has no size", `await ${tech}.page();`, "query.option", /page\(\{ size \}\)/),
];
