import { great, type Mistake, ok, silent, works } from "../mistake.ts";

const found = `const blog = await context.find(Blog, key);`;
const other = `const other = new TableContext(storage);\nconst blog = await other.find(Blog, key);`;

/** Mistakes in changes and saves. */
export const saving: readonly Mistake[] = [
  ok("a save is that of TypeORM", `${found}\nawait context.save(blog);`, /save is not a function/),
  great(
    "saveChanges() gets the entity",
    `${found}\nawait context.saveChanges(blog);`,
    "context.option",
    /saveChanges\(\{ only: \[entity\] \}\)/,
  ),
  great(
    "saveChanges() is not awaited before close()",
    `context.create(Blog, values);\nconst saving = context.saveChanges();\nawait storage.close();\nawait saving;`,
    "save.failed",
    /Await every save and query before close\(\)/,
  ),
  great(
    "a key is changed",
    `${found}\nblog.channel = "food";\nawait context.saveChanges();`,
    "save.invalid",
    /different channel.*add a copy/,
  ),
  great(
    "a request's body is spread over the key",
    `${found}\nObject.assign(blog, { channel: "food", title: "x" });\nawait context.saveChanges();`,
    "save.invalid",
    /different channel.*stored key cannot change/,
  ),
  great(
    "a property is misspelt",
    `${found}\nblog.titel = "x";\nawait context.saveChanges();`,
    "save.invalid",
    /titel.*Did you mean title\?/,
  ),
  great(
    "update() gets values",
    `${found}\ncontext.update(blog, { title: "x" });`,
    "entity.unknown-property",
    /call assign\(entity, values\)/,
  ),
  great(
    "update() gets a class, a key and values, as in TypeORM",
    `context.update(Blog, key, { title: "x" });`,
    "model.not-an-entity",
    /the class Blog itself.*To change .* a row by its key, call modify\(Class, key, change\)/,
  ),
  great(
    "upsert() gets a class and values",
    `context.upsert(Blog, values);`,
    "model.not-an-entity",
    /the class Blog itself\. Pass an instance: new Blog/,
  ),
  great(
    "modify() returns a changed copy",
    `await context.modify(Blog, key, (blog) => ({ ...blog, title: "x" }));`,
    "entity.returned-copy",
    /Change the entity that it is given/,
  ),
  great(
    "updateAll() returns values",
    `await context.query(Blog).where({ channel: "tech" }).updateAll(() => ({ rating: 5 }));`,
    "entity.returned-copy",
    /updateAll\(\).*Object\.assign/,
  ),
  great(
    "remove() gets a class and a key",
    `context.remove(Blog, key);`,
    "model.not-an-entity",
    /removeByKey\(Class, key, etag\)/,
  ),
  great(
    "remove() gets nothing, since nothing was found",
    `context.remove(await context.find(Blog, { ...key, channel: "none" }));`,
    "model.not-an-entity",
    /undefined\. find\(\) and first\(\) return undefined/,
  ),
  great(
    "remove() gets a promise",
    `context.remove(context.find(Blog, key));`,
    "model.not-an-entity",
    /promise\. Write await/,
  ),
  great(
    "remove() gets a query",
    `context.remove(context.query(Blog));`,
    "entity.not-tracked",
    /query\.removeAll\(\)/,
  ),
  great(
    "remove() gets an entity of another context",
    `${other}\ncontext.remove(blog);`,
    "entity.not-tracked",
    /entity of this context/,
  ),
  great(
    "an entity of another context is added",
    `${other}\ncontext.add(blog);`,
    "entity.tracked-elsewhere",
    /detach\(\) it there/,
  ),
  great(
    "the context was closed",
    `await context[Symbol.asyncDispose]();\ncontext.create(Blog, values);`,
    "context.disposed",
    /Make a new TableContext/,
  ),
  great(
    "two contexts change one row",
    `${other}\nblog.title = "theirs";\n(await context.find(Blog, key)).title = "mine";\nawait other.saveChanges();\nawait context.saveChanges();`,
    "save.failed",
    /another writer changed it.*resolveConflict/,
  ),
  great(
    "upsert() has no mode",
    `context.upsert(new Blog(values));`,
    "context.option",
    /"merge" or "replace"/,
  ),
  great(
    "attach() has no ETag",
    `context.attach(new Blog(values));`,
    "entity.missing-etag",
    /"\*" for any version/,
  ),
  works(
    "a JSON value is changed in place",
    `${found}\nblog.tags = ["a"];\nawait context.saveChanges();\nblog.tags.push("b");\nif ((await context.saveChanges()).length !== 1) throw new Error("not saved");`,
  ),
  ok(
    "an entity is printed as JSON with a bigint",
    `${found}\nblog.views = 5n;\nJSON.stringify(blog);`,
    /serialize a BigInt/,
  ),
  great(
    "a plain object is pushed into a list",
    `const order = await context.find(Order, { shop: "a", id: "1" }, { include: "lines" });\norder.lines.push({ no: 2, sku: "x" });\nawait context.saveChanges();`,
    "save.invalid",
    /not a Line.*push\(new Line/,
  ),
  great(
    "a parent is removed without its lines",
    `context.remove(await context.find(Order, { shop: "a", id: "1" }));`,
    "entity.list-not-loaded",
    /Call removeFamily\(\)/,
  ),
  // The query was told not to track.
  silent(
    "an untracked entity is edited",
    `const [blog] = await context.query(Blog).where({ channel: "tech" }).mergeOption("noTracking").toArray();\nblog.title = "x";\nawait context.saveChanges();`,
  ),
];
