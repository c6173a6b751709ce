import type { AreaPages } from "../error-page.ts";

const orders = `
@Table("Orders")
abstract class OrderRow {
  @PartitionKey() shop!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind("Order")
class Order extends OrderRow {
  @Children(() => Line, { owned: true }) lines?: Children<Line>;
}
@Kind("Line")
class Line extends OrderRow {
  @RowKey(padded(4)) no!: Key<number>;
  @Text() sku!: string;
}

await createTables(storage, [Order, Line]);`;

export const entities: AreaPages = {
  "entity.children-not-added": {
    cause:
      "An entity has children in its list that the context does not track. The list only shows children that `include()` has read, so a save would not store the others.",
    remedy:
      "Add each child with `add()` or `create()`. If the list belongs to its parent, declare it as owned: then a save stores its members.",
    example: `
@Table("Threads")
abstract class Row {
  @PartitionKey() forum!: Key<string>;
  @RowKey() thread!: Key<string>;
}
@Kind("Thread")
class Thread extends Row {
  @Children(() => Reply) replies?: Children<Reply>;
}
@Kind("Reply")
class Reply extends Row {
  @RowKey() no!: Key<string>;
}

await createTables(storage, [Thread, Reply]);
const reply = Object.assign(new Reply(), { forum: "f", thread: "t", no: "1" });
context.create(Thread, { forum: "f", thread: "t", replies: [reply] as never });
await context.saveChanges();`,
  },
  "entity.duplicate-key": {
    cause:
      "You added or attached an entity, and the context already tracks another instance with the same key.",
    remedy:
      "Change the tracked instance, which `find()` returns. If you want to replace it, call `detach()` for it first.",
    example: `
context.create(Blog, { ...key, title: "Hello again" }); // blog has this key`,
  },
  "entity.etag-unknown": {
    cause:
      "An entity was stored, but storage did not return its new ETag. Another change could overwrite the change of another writer.",
    remedy: "Call `reload()` for the entity before you change it again.",
    needs: "a storage that leaves out ETags, such as one of your own",
    example: `
await context.saveChanges();
await context.reload(blog); // reads the ETag
blog.rating = 5;
await context.saveChanges();`,
  },
  "entity.frozen": {
    cause:
      "An entity is frozen or sealed, and the operation would assign to it. Reads and saves update properties of tracked entities.",
    remedy:
      'Track an entity that is not frozen. If you only read entities, use `mergeOption("noTracking")` and freeze the result.',
    example: `
Object.freeze(blog);
await context.reload(blog);`,
  },
  "entity.in-flight": {
    cause: "You called a method for an entity while a save was sending its changes.",
    remedy: "Await `saveChanges()` before you call other methods for the entity.",
    example: `
blog.rating = 5;
const saving = context.saveChanges(); // not awaited: the save still runs
try {
  await context.reload(blog);
} finally {
  await saving;
}`,
  },
  "entity.insert-only": {
    cause:
      "A merging upsert would overwrite a value that is only set when a row is inserted, such as a `createdAt` time. Partita cannot know whether the row exists.",
    remedy:
      "Assign the value yourself, or use `modify(Class, key, change, { create })`, which reads the row first.",
    example: `
@Table("Notes")
class Note {
  @PartitionKey() board!: Key<string>;
  @RowKey() id!: Key<string>;
  @CreatedAt() createdAt!: Date;
}

context.upsert(Object.assign(new Note(), { board: "b", id: "1" }), "merge");
await context.saveChanges();`,
  },
  "entity.invalid": {
    cause: "An entity violates a rule of a validator that you passed to the context. Nothing was sent.",
    remedy: "Correct the values. `error.violations` of the SaveError lists each property with its problem.",
    example: `
const validating = new TableContext(storage, {
  validate: (entity) =>
    entity instanceof Blog && entity.rating > 5 ? [{ property: "rating", message: "must be 5 or less" }] : [],
});
validating.create(Blog, { channel: "news", slug: "best", title: "Best", rating: 6 });
await validating.saveChanges();`,
  },
  "entity.key-changed": {
    cause:
      "You changed a property that is part of the key of a stored entity. Azure Table Storage cannot change the key of a stored row.",
    remedy: "Set the property back. To move the entity, remove it and add a copy with the new key.",
    example: `
Object.assign(blog, { slug: "goodbye" });
await context.saveChanges();`,
  },
  "entity.key-generated": {
    cause:
      "You attached an entity without a key, so a key was generated for it. No stored row can have a key that your program has just made.",
    remedy:
      "To store a new entity, call `add()`. To change a stored row, give the entity the key of that row.",
    example: `
class Message extends defineEntity({
  table: "Messages",
  partitionKey: { room: text() },
  rowKey: { id: ulid },
  properties: {},
}) {}

const message = context.create(Message, { room: "r" }); // generates the id
context.detach(message); // not saved
context.attach(message, "*");`,
  },
  "entity.list-not-loaded": {
    cause:
      "You changed or used an owned list that was not loaded. Partita does not know its members, so a save could not find out which of them you removed.",
    remedy: 'Load the list: `find(Order, key, { include: "lines" })`, or `include()` for a query.',
    example: `${orders}
context.create(Order, { shop: "s", id: "7", lines: [{ no: 1, sku: "A" }] });
await context.saveChanges();

const other = new TableContext(storage);
const order = await other.find(Order, { shop: "s", id: "7" });
if (order !== undefined) other.remove(order); // which lines to remove is not known`,
  },
  "entity.missing-etag": {
    cause: "`attach` or `removeByKey` needs the ETag of the row, and got none.",
    remedy:
      'Pass the ETag that you read. To write over any version, pass `"*"`. To write a row whether it exists or not, use `upsert()`.',
    example: `
new TableContext(storage).removeByKey(Blog, key, "");`,
  },
  "entity.newer-version": {
    cause:
      "A row has a newer version of its class than your program knows. If your program wrote the row, it could lose data that only the newer release understands.",
    remedy:
      "Deploy the newer release. To let older releases write during a deployment, declare `upgrades(…).supports(version)` in the newer one.",
    example: `
const first = upgrades({ title: text() });

@Version(2, first.to(2, add("rating", int32(), 0)))
@Table("Articles")
class NewArticle {
  @PartitionKey() site!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() title!: string;
  @Int32() rating!: number;
}
@Version(1, first)
@Table("Articles")
class OldArticle {
  @PartitionKey() site!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() title!: string;
}

await createTables(storage, [NewArticle]);
context.create(NewArticle, { site: "s", id: "1", title: "Hello", rating: 3 });
await context.saveChanges();

const older = new TableContext(storage);
const article = await older.find(OldArticle, { site: "s", id: "1" });
if (article !== undefined) article.title = "Changed";
await older.saveChanges();`,
  },
  "entity.not-a-member": {
    cause:
      "An owned list has a member that is not an instance of the declared class, such as a plain object.",
    remedy: 'Add an instance with `new Line({ … })`, or call `context.createIn(order, "lines", values)`.',
    example: `${orders}
const order = context.create(Order, { shop: "s", id: "7" });
order.lines = [{ no: 1, sku: "A" }] as never; // a plain object
await context.saveChanges();`,
  },
  "entity.not-loaded": {
    cause:
      "An entity was read in part with `select()`, and the change needs the complete row: it clears a property, replaces the row, or upgrades it from an older version.",
    remedy:
      "Call `find()` for the key first. It reads the rest and keeps your edits. Or read without `select()`.",
    example: `
const other = new TableContext(storage);
const [partial] = await other.query(Blog).where(key).select("title").toArray();
Object.assign(partial, { editedOn: null }); // to clear a property, a save replaces the complete row
await other.saveChanges();`,
  },
  "entity.not-read": {
    cause:
      "A validator added or changed an entity of a class with indexes or a scope, and the save has not read its stored row.",
    remedy: "Make such changes before the save, or in a `saving` hook.",
    needs: "a validator that changes other entities",
    example: `
const context = new TableContext(storage, {
  hooks: {
    saving(entity) {
      if (entity instanceof Member) entity.name = entity.name.trim();
    },
  },
});`,
  },
  "entity.not-removable": {
    cause:
      "`removeFamily()` found a row among the children that cannot be read as an entity, so it cannot remove it. Nothing was marked for removal.",
    remedy:
      'Read with `unreadableRows: "error"` to see why the row cannot be read. Then correct it, or remove it with `removeByKey()`.',
    example: `${orders}
const order = context.create(Order, { shop: "s", id: "7" });
await context.saveChanges();
await storage.transact("Orders", [
  { type: "insert", entity: { PartitionKey: "s", RowKey: "7_0001", Kind: "Line" } }, // a line without its sku
]);
const reading = new TableContext(storage, { unreadableRows: "raw" });
const found = await reading.find(Order, { shop: "s", id: "7" });
if (found !== undefined) await reading.removeFamily(found);`,
  },
  "entity.not-tracked": {
    cause:
      "You passed an entity to a context that does not track it. It was read without tracking, by another context, or made with `new`.",
    remedy:
      "Read the entity in this context, `add()` a new one, or `attach()` one that you read elsewhere. To remove a row that you haven't read, use `removeByKey()`.",
    example: `
context.remove(new Blog());`,
  },
  "entity.nothing-to-choose": {
    cause:
      "You passed a function to `resolveConflict()` to choose a value for each property, but one side has no values, for example because the row was removed.",
    remedy: 'Resolve the conflict as `"mine"` or `"theirs"`. To store a detached entity again, call `add()`.',
    example: `
await storage.transact("Blogs", [
  { type: "delete", key: { partitionKey: "news", rowKey: "hello" }, etag: "*" }, // another writer
]);
blog.rating = 5;
await context.saveChanges().catch(() => undefined); // conflict.missing
await context.resolveConflict(blog, () => "mine");`,
  },
  "entity.pending-changes": {
    cause:
      "`modify()` got an entity that has unsaved changes, or you edited the entity while `modify()` ran. A retry would lose these changes.",
    remedy: "Save or `discard()` the changes first, or call `modify()` in a context of its own.",
    example: `
blog.title = "Draft";
await context.modify(Blog, key, (found) => {
  found.rating++;
});`,
  },
  "entity.returned-copy": {
    cause:
      "The function that you passed to `modify()` or `updateAll()` returned an object with values of the entity. They would be ignored.",
    remedy: "Assign to the entity that the function gets, or call `Object.assign(entity, values)`.",
    example: `
await context.modify(Blog, key, (found) => ({ ...found, rating: 5 })); // found.rating = 5`,
  },
  "entity.too-large": {
    cause: "An entity is larger than 1 MiB, the most that the service stores in one row.",
    remedy: "Split the data over several entities, or store large values in a blob or with `@partita/files`.",
    example: `
@Table("Documents")
class Document {
  @PartitionKey() folder!: Key<string>;
  @RowKey() name!: Key<string>;
  @Json({ optional: true }) parts?: string;
}

const properties = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [\`part\${i}\`, text().default("a".repeat(30_000))]),
);
class Large extends defineEntity({
  table: "Documents",
  partitionKey: { folder: text() },
  rowKey: { name: text() },
  properties,
}) {}

context.add(new Large({ folder: "f", name: "n" } as never));
await context.saveChanges();`,
  },
  "entity.too-many-properties": {
    cause: "An entity has more than 252 properties with values, the most that the service stores in one row.",
    remedy: "Combine properties that you don't query into one `@Json()` property.",
    needs: "a class with objects that bring their own columns",
    example: `
class Address {
  @Text() street!: string;
  @Text() city!: string;
}

@Table("Customers")
class Customer {
  @PartitionKey() tenant!: Key<string>;
  @RowKey() id!: Key<string>;
  @Json() addresses!: Address[]; // one property instead of many columns
}`,
  },
  "entity.tracked-elsewhere": {
    cause:
      "Another context that is still open tracks this instance. Both contexts would save the same edits.",
    remedy:
      "Call `detach()` in the other context, or close that context first. `await using` closes it for you.",
    example: `
new TableContext(storage).attach(blog, "*");`,
  },
  "entity.undeclared": {
    cause:
      "An entity has a value that its class does not declare, so the save would not store it. Its name may be misspelt.",
    remedy:
      'Declare the property with a decorator, mark it with `@NotStored()`, or set `undeclared: "ignore"` for the table or the context.',
    example: `
Object.assign(blog, { author: "Ann" }); // Blog declares no author
blog.rating = 5;
await context.saveChanges();`,
  },
  "entity.unknown-property": {
    cause:
      "A method such as `update()` got the name of a property that the class does not store, or that is part of the key.",
    remedy: "Use one of the names that the message lists.",
    example: `
context.update(blog, "author" as never);`,
  },
  "entity.version-unknown": {
    cause:
      "A write without a read would merge into a row of a class with upgrades. The row may have an older version, and the result would mix two versions.",
    remedy:
      'Use `find()` or `modify()`, or upsert with `"replace"`. If no older rows exist, declare it with `upgrades(…).clean(version)`.',
    example: `
@Version(2, upgrades({ title: text() }).to(2, add("rating", int32(), 0)))
@Table("Articles")
class Article {
  @PartitionKey() site!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() title!: string;
  @Int32() rating = 0;
}

context.upsert(Object.assign(new Article(), { site: "s", id: "1", title: "Hello" }), "merge");
await context.saveChanges();`,
  },
  "entity.wrong-state": {
    cause:
      "You called a method that the state of the entity does not allow, such as `add()` for an entity that is already tracked.",
    remedy: "Do what the message says for this state: save, `discard()` or `detach()` first.",
    example: `
context.add(blog); // it is stored already`,
  },
  "batch.entity-too-large": {
    cause:
      "An entity with its index rows takes more than 4 MiB. They belong to one transaction, which cannot be larger.",
    remedy: 'Let the indexes copy fewer properties: `copy: ["name"]` or `copy: "none"`.',
    example: `
const properties = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [\`part\${i}\`, text().default("€".repeat(16_000))]),
);
const indexes = Object.fromEntries(
  ["A", "B", "C", "D", "E"].map((name) => [\`by\${name}\`, { rowKey: { name: constant(\`\${name}:\`, verbatim) } }]),
);
class Large extends defineEntity({
  table: "Documents",
  partitionKey: { folder: text() },
  rowKey: { name: text() },
  properties,
  indexes,
}) {}

await createTables(storage, [Large]);
context.add(new Large({ folder: "f", name: "n" } as never));
await context.saveChanges();`,
  },
  "validator.changed-entity": {
    cause:
      "A validator changed the entity that it checks, a `when` test changed its row, or a function for `resolveConflict()` changed a value instead of returning one. Such changes would be lost.",
    remedy:
      "Let validators only check. Make changes in a `saving` hook. If the validator converts values on purpose, pass `applyTransforms: true`.",
    example: `
const validating = new TableContext(storage, {
  validate(entity) {
    Object.assign(entity, { title: "Changed" });
    return [];
  },
});
validating.create(Blog, { channel: "news", slug: "new", title: "New" });
await validating.saveChanges();`,
  },
  "validator.endless": {
    cause:
      "A validator with `applyTransforms: true` changes an entity again each time it runs, so the save would never end.",
    remedy: "Let a transform leave its own result unchanged: trim a text, but don't append to it.",
    needs: "a library for validation",
    example: `
import { z } from "zod";

const schema = z.object({ title: z.string().trim() }); // applied twice, it gives the same result
const context = new TableContext(storage, {
  validate: standardSchema(Blog, schema, { applyTransforms: true }),
});`,
  },
};
