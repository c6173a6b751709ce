import type { AreaPages } from "../error-page.ts";

/** Parts that several examples begin with. */
const keysOfPage = `  @PartitionKey() site!: Key<string>;
  @RowKey() name!: Key<string>;`;

export const models: AreaPages = {
  "model.base-of-kinds": {
    cause:
      "You added an instance of a base class. Rows of its table always have one of its kinds, so the base class itself is not stored.",
    remedy:
      "Create an instance of one of the kinds. Mark the base class as `abstract`, and the compiler finds this mistake.",
    example: `
@Table("Entries")
class Entry {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind("Post")
class Post extends Entry {}

context.query(Post);
context.create(Entry, { channel: "c", id: "1" });`,
  },
  "model.children": {
    cause:
      "A list of children does not fit its classes. Children share the table and the PartitionKey of their parent, and their RowKey is the RowKey of the parent with more parts.",
    remedy:
      "Declare parent and child as kinds of one base class, with further `@RowKey` parts in the child. Use a name of a list that the class declares.",
    example: `
@Table("Comments")
class Comment {
  @PartitionKey() site!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Table("Pages")
class Page {
${keysOfPage}
  @Children(() => Comment) comments?: Children<Comment>; // in another table
}

await context.query(Page).where({ site: "s" }).include((page) => page.comments).toArray();`,
  },
  "model.class-validator": {
    cause:
      "You passed a class with standard decorators to `classValidator()`. The decorators of class-validator only work as legacy decorators.",
    remedy:
      'Set `"experimentalDecorators": true` in `tsconfig.json`, or validate with `standardSchema(Class, schema)` and a schema of zod, valibot or arktype.',
    needs: "the package class-validator",
    example: `
import { z } from "zod";

const schema = z.object({ title: z.string().min(3) });
const context = new TableContext(storage, { validate: standardSchema(Blog, schema) });`,
  },
  "model.constructor-failed": {
    cause:
      "The constructor of a class threw an error when Partita called it without arguments. Partita builds instances like that when it reads rows.",
    remedy:
      'Let the constructor accept no arguments, or pass a factory: `@Table("Pages", { create: () => new Page("…") })`.',
    example: `
@Table("Pages")
class Page {
${keysOfPage}

  constructor(path: { site: string }) {
    this.site = path.site; // path is undefined when rows are read
  }
}

await createTables(storage, [Page]);
await context.find(Page, { site: "s", name: "n" });
context.create(Page, { site: "s", name: "n" });`,
  },
  "model.declaration": {
    cause:
      "`defineEntity` or `defineKind` got an incomplete declaration, such as one without `properties`, or something other than an object.",
    remedy: "Pass an object with the members that the message names.",
    example: `
defineEntity({ table: "Pages", partitionKey: { site: text() }, rowKey: { name: text() } } as never);`,
  },
  "model.decorator": {
    cause:
      "A decorator is used in a wrong way: without parentheses, without its name, twice for one class, or with an option that it does not take.",
    remedy: "Write decorators with parentheses, `@Text()`, and with the arguments that the message names.",
    example: `
@Table("Entries")
abstract class Entry {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind // write @Kind("Post")
class Post extends Entry {}`,
  },
  "model.default": {
    cause:
      "A default value does not fit the type of its property, or the function that makes it returned a promise.",
    remedy:
      "Give a value that the type takes. If you need to await a value, do it before you create the entity.",
    example: `
class Page extends defineEntity({
  table: "Pages",
  partitionKey: { site: text() },
  rowKey: { name: text() },
  properties: { visits: int32().default(1.5) }, // not a whole number
}) {}

context.query(Page);`,
  },
  "model.derived-alone": {
    cause:
      "A property appears in the key only in a shortened form, such as its month. Partita could not read the complete value back.",
    remedy:
      "Declare the property also as a stored property, or as a further key part with its complete value, such as `newestFirst`.",
    example: `
@Table("Visits")
class Visit {
  @PartitionKey(month) at!: Key<Date>; // needs @DateTime() as well
  @RowKey() id!: Key<string>;
}

context.query(Visit);`,
  },
  "model.derived-source": {
    cause:
      "A key part is derived from a property of a type that its format does not take, or from an optional property.",
    remedy: "Derive the key part from a required property of a type that the message names.",
    example: `
@Table("Visits")
class Visit {
  @PartitionKey(month) @DateTime({ optional: true }) at!: Key<Date>;
  @RowKey() id!: Key<string>;
}

context.query(Visit);`,
  },
  "model.field-overwrites": {
    cause:
      "A class that extends `defineEntity(…)` declares a property again as a field. The field overwrites the value that the base class assigns, so every new instance would lose it.",
    remedy:
      "Remove the field, or write `declare` before it: `declare title: string`. For an initial value, use `.default(…)` in the declaration.",
    example: `
class Page extends defineEntity({
  table: "Pages",
  partitionKey: { site: text() },
  rowKey: { name: text() },
  properties: { title: text() },
}) {
  override title = "Untitled"; // write title: text().default("Untitled") instead
}

context.query(Page);`,
  },
  "model.former-keys": {
    cause:
      "A class declares `formerKeys`, and the rows of the former class cannot be found or moved with its keys. The message names the reason.",
    remedy:
      "Correct the declaration as the message says: the former class needs the same properties and other keys.",
    example: `
@Table("OldPages")
class OldPage {
${keysOfPage}
}
@Table("Pages", { formerKeys: OldPage })
class Page {
  @PartitionKey() site!: Key<string>;
  @RowKey() path!: Key<string>; // OldPage has no path
}

await createTables(storage, [OldPage, Page]);
await context.find(Page, { site: "s", path: "p" });`,
  },
  "model.index-copy": {
    cause: "The option `copy` of an index names a property that the class does not store.",
    remedy: "Correct the name. Key parts need no copy: the rows of an index have them anyway.",
    example: `
@Table("Pages")
@Index("byTitle", { rowKey: { title: constant("TITLE:", verbatim) }, copy: ["author"] })
class Page {
${keysOfPage}
  @Text() title!: string;
}

context.query(Page);`,
  },
  "model.index-crosses-upgrade": {
    cause:
      "An index has a part that rows of older versions don't have, or have in another form. Such rows would be missing in the index.",
    remedy:
      "Run `upgradeTable()` and declare the class clean with `clean()`, or leave the part out of the index.",
    example: `
@Version(2, upgrades({}).to(2, add("title", text(), "Untitled")))
@Table("Pages")
@Index("byTitle", { rowKey: { title: constant("TITLE:", verbatim) } })
class Page {
${keysOfPage}
  @Text() title!: string;
}

context.query(Page);`,
  },
  "model.index-limit": {
    cause:
      "A class has more than 20 indexes. Each index adds a row to every transaction that writes an entity.",
    remedy: "Remove the indexes that no query uses.",
    example: `
const indexes = Object.fromEntries(
  Array.from({ length: 21 }, (_, i) => [\`index\${i}\`, { rowKey: { title: constant(\`\${i}:\`, verbatim) } }]),
);
class Page extends defineEntity({
  table: "Pages",
  partitionKey: { site: text() },
  rowKey: { name: text() },
  properties: { title: text() },
  indexes,
}) {}

context.query(Page);`,
  },
  "model.index-part": {
    cause:
      "A part of an index is not a property of the class, has a format for another type, or the index has no parts.",
    remedy: "Correct the name or the format of the part.",
    example: `
@Table("Pages")
@Index("byAuthor", { rowKey: { author: constant("AUTHOR:", verbatim) } })
class Page {
${keysOfPage}
}

context.query(Page);`,
  },
  "model.index-prefix": {
    cause:
      "The RowKeys of an index do not start with a text of their own. Its rows could not be distinguished from entities in the same partition.",
    remedy: 'Start the first part with a constant: `constant("TITLE:", verbatim)`.',
    example: `
@Table("Pages")
@Index("byTitle", { rowKey: { title: verbatim } })
class Page {
${keysOfPage}
  @Text() title!: string;
}

context.query(Page);`,
  },
  "model.index-state": {
    cause:
      "An index job does not fit the state of an index: you drop an index that is in use, or build one that is retired or that supported older releases don't write.",
    remedy:
      'To drop an index, deploy a release that declares it with `state: "retired"` first. To build one, remove that state.',
    example: `
@Table("Pages")
@Index("byTitle", { rowKey: { title: constant("TITLE:", verbatim) } })
class Page {
${keysOfPage}
  @Text() title!: string;
}

await createTables(storage, [Page]);
await dropIndex(storage, [Page], "byTitle"); // it is not retired`,
  },
  "model.index-twice": {
    cause:
      'Two indexes of a class have the same name, or an index has the name "primary", which means the keys of the entity.',
    remedy: "Give each index a name of its own.",
    example: `
@Table("Pages")
@Index("primary", { rowKey: { title: constant("TITLE:", verbatim) } })
class Page {
${keysOfPage}
  @Text() title!: string;
}

context.query(Page);`,
  },
  "model.jobs-table": {
    cause: "A class uses the table in which Partita stores the progress of jobs.",
    remedy: "Give your table another name.",
    example: `
@Version(2, upgrades({}).to(2, add("title", text(), "Untitled")))
@Table("PartitaJobs")
class Page {
${keysOfPage}
  @Text() title!: string;
}

await upgradeTable(storage, [Page]);`,
  },
  "model.key-format": {
    cause:
      "A property of this type cannot be a key part without a format, or has a type that keys cannot hold.",
    remedy:
      "Choose a format that the message names, such as `newestFirst` for dates or `padded(10)` for numbers.",
    example: `
class Page extends defineEntity({
  table: "Pages",
  partitionKey: { site: text() },
  rowKey: { no: double() as never }, // keys have no order for it
  properties: {},
}) {}

context.query(Page);`,
  },
  "model.key-literal": {
    cause: "A constant text in a key contains a forbidden character or the separator.",
    remedy: "Choose another text, or another separator.",
    example: `
@Table("Pages")
class Page {
  @PartitionKey() site!: Key<string>;
  @RowKey(constant("page/", verbatim)) name!: Key<string>;
}

context.query(Page);`,
  },
  "model.key-missing": {
    cause: "A class declares no PartitionKey or no RowKey.",
    remedy: "Mark at least one property with `@PartitionKey()` and one with `@RowKey()`.",
    example: `
@Table("Pages")
class Page {
  @PartitionKey() site!: Key<string>;
}

context.create(Page, { site: "s" });`,
  },
  "model.key-order": {
    cause:
      'A key part has texts of different length that can contain "_" or digits, and another part follows it. With this separator, the keys would not keep their order.',
    remedy: 'Make it the last part of the key, or set another separator, such as `separator: "!"`.',
    example: `
@Table("Visits")
class Visit {
  @PartitionKey() site!: Key<string>;
  @RowKey(leading(5)) @Text() author!: Key<string>;
  @RowKey() id!: Key<string>;
}

context.query(Visit);`,
  },
  "model.kind": {
    cause: "A kind is declared with `stored: false`, and nothing else distinguishes its rows.",
    remedy: 'Declare `key: "prefix"`, `key: "suffix"` or a test `when`, or leave out `stored: false`.',
    example: `
@Table("Entries")
abstract class Entry {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind("Post", { stored: false })
class Post extends Entry {}

context.query(Post);`,
  },
  "model.kind-missing": {
    cause:
      "A class extends the base class of kinds and is no kind itself. Its rows could not be distinguished from those of the kinds.",
    remedy: 'Write `@Kind("Name")` on the class, or call `defineKind(Base, …)`.',
    example: `
@Table("Entries")
class Entry {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind("Post")
class Post extends Entry {}
class Draft extends Entry {}

context.query(Post);
context.create(Draft, { channel: "c", id: "1" });`,
  },
  "model.kind-twice": {
    cause: "Two classes of one table claim the same name of a kind.",
    remedy:
      "Give one of them another name. If a class was renamed, list its old name with `formerly` in one class only.",
    example: `
@Table("Entries")
abstract class Entry {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind("Post")
class Post extends Entry {}
@Kind("Post")
class Article extends Entry {}

context.query([Post, Article]);`,
  },
  "model.no-class": {
    cause: "A call that needs an entity class, or a list of them, got none.",
    remedy: "Pass the class, or a list with at least one class: `createTables(storage, [Blog])`.",
    example: `
context.query([]);`,
  },
  "model.no-kind": {
    cause:
      "A query reads several classes of one table, and not all of them have a kind that distinguishes their rows.",
    remedy: "Declare a kind for each class, below one base class.",
    example: `
@Table("Blogs")
class Draft {
  @PartitionKey() channel!: Key<string>;
  @RowKey() slug!: Key<string>;
}

context.query([Blog, Draft]);`,
  },
  "model.no-markers": {
    cause: "You called `sweepMarkers()` for a table of classes that write no markers.",
    remedy: 'Call it only for tables of classes with `proof: "marker"`.',
    example: `
await sweepMarkers(storage, [Blog]);`,
  },
  "model.no-metadata": {
    cause:
      "The compiler gives standard decorators no metadata object, or a decorated class was loaded before `@partita/decorators`.",
    remedy:
      "Import `@partita/decorators` before any decorated class, and use a compiler that supports decorator metadata, such as TypeScript 5.2 or later.",
    needs: "an old compiler",
    example: `
import "@partita/decorators"; // first
import { Blog } from "./blog.ts";`,
  },
  "model.no-table": {
    cause: "A class, or the base class of a kind, names no table.",
    remedy: 'Write `@Table("Name")` on the class or its base class, or `table: "Name"` in `defineEntity`.',
    example: `
defineEntity({ partitionKey: { site: text() }, rowKey: { name: text() }, properties: {} } as never);`,
  },
  "model.no-upgrades": {
    cause: "You called `upgradeTable()` for classes without upgrades, so there is nothing to upgrade.",
    remedy: "Declare the upgrades of the class: `@Version(2, upgrades({ … }).to(2, …))`.",
    example: `
await upgradeTable(storage, [Blog]);`,
  },
  "model.not-a-class": {
    cause: "`@Table`, `@Kind`, `@Version` or `@Index` is written on a member instead of a class.",
    remedy: "Move the decorator above the class.",
    needs: "a program without type checks: the compiler refuses the decorator there",
    example: `
@Table("Pages") // above the class, not above a field
class Page {
${keysOfPage}
}`,
  },
  "model.not-a-field": {
    cause:
      "A decorator for stored properties is written on a method, an accessor, or a static or private member.",
    remedy: "Decorate a public instance field.",
    example: `
@Table("Pages")
class Page {
${keysOfPage}
  @Text() static title: string;
}`,
  },
  "model.not-an-entity": {
    cause:
      "A call got something other than an entity or an entity class. Common reasons are undefined from `find()`, a plain object, and a class instead of an instance.",
    remedy:
      "Check results of `find()` and `first()` for undefined. Pass the class, or an instance made with `new`.",
    example: `
const missing = await context.find(Blog, { channel: "news", slug: "missing" });
context.remove(missing as Blog); // undefined`,
  },
  "model.option": {
    cause: "A decorator, a property type, a key format or an index got an option that it does not take.",
    remedy: "Use the options that the message lists.",
    example: `
padded("four" as never);`,
  },
  "model.other-settings": {
    cause:
      "A query reads kinds of one table that have different settings, such as different names for the kind property.",
    remedy: "Give the table the same settings in all classes, best by one common base class.",
    example: `
@Table("Entries", { kindProperty: "Type" })
abstract class Entry {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind("Post")
class Post extends Entry {}

@Table("Entries")
abstract class Row {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind("Comment")
class Comment extends Row {}

context.query([Post, Comment]);`,
  },
  "model.other-table": {
    cause: "A query names classes of different tables. One query reads one table.",
    remedy: "Query the classes one after the other, or store them as kinds in one table.",
    example: `
@Table("Pages")
class Page {
${keysOfPage}
}

context.query([Blog, Page]);`,
  },
  "model.prefix-overlap": {
    cause:
      "The RowKeys of two indexes, or of an index and the entities, start with the same text. Their rows would be mixed.",
    remedy: "Give each index a constant of its own that no other one starts with.",
    example: `
@Table("Pages")
@Index("byTitle", { rowKey: { title: constant("T:", verbatim) } })
@Index("byTopic", { rowKey: { topic: constant("T:", verbatim) } })
class Page {
${keysOfPage}
  @Text() title!: string;
  @Text() topic!: string;
}

context.query(Page);`,
  },
  "model.property-name": {
    cause:
      "A property is stored under a name that the service does not accept. It takes identifiers of at most 255 characters, except PartitionKey, RowKey and Timestamp.",
    remedy: 'Set another stored name: `@Text({ name: "Title" })`.',
    example: `
@Table("Pages")
class Page {
${keysOfPage}
  @Text({ name: "page-title" }) title!: string;
}

context.query(Page);`,
  },
  "model.property-twice": {
    cause:
      "A property is declared twice: as a key part and as a stored property, or with two decorators for its type.",
    remedy: "Keep one declaration. A key part needs no second property: the key stores its value.",
    example: `
@Table("Pages")
class Page {
  @PartitionKey() site!: Key<string>;
  @RowKey() @Text() name!: Key<string>;
}

context.query(Page);`,
  },
  "model.property-type": {
    cause:
      "A property is declared with something that is no property type, or an embedded object is declared in a wrong way.",
    remedy:
      "Call a property type with parentheses: `text()`, `int32()`. For objects, use `embedded(Class, { … })` or `json()`.",
    example: `
defineEntity({
  table: "Pages",
  partitionKey: { site: text() },
  rowKey: { name: text() },
  properties: { title: text as never }, // text()
});`,
  },
  "model.reserved-name": {
    cause: "A property has a name that all JavaScript objects use, such as `constructor` or `__proto__`.",
    remedy: 'Rename the property. To keep the stored name, pass `{ name: "…" }`.',
    example: `
class Page extends defineEntity({
  table: "Pages",
  partitionKey: { site: text() },
  rowKey: { name: text() },
  properties: { toString: text() as never },
}) {}

context.query(Page);`,
  },
  "model.scope": {
    cause:
      "`scopedBy` names a property that cannot hold the scope: it is not declared, is JSON, or the class is also `unscoped`.",
    remedy: "Name a key part or a stored property with a single value, such as a text.",
    example: `
@Table("Pages", { scopedBy: "tenant" })
class Page {
${keysOfPage}
}

context.query(Page);`,
  },
  "model.separator": {
    cause:
      "The separator of a key is empty, contains a forbidden character, or does not fit a format that needs its own.",
    remedy:
      'Use a separator such as `"_"` or `"!"`. For `escaped` parts, leave the separator out or set `"!"`.',
    example: `
@Table("Pages", { separator: "/" })
class Page {
${keysOfPage}
}

context.query(Page);`,
  },
  "model.stored-name-twice": {
    cause: "Two properties of a class are stored under the same name.",
    remedy: "Give one of them another stored name.",
    example: `
@Table("Pages")
class Page {
${keysOfPage}
  @Text({ name: "Title" }) title!: string;
  @Text({ name: "Title" }) heading!: string;
}

context.query(Page);`,
  },
  "model.supports": {
    cause:
      "A class supports an older version with `supports()`, and its rows could not be read by the releases of that version. The message names the step or the index.",
    remedy:
      "Add a `back` function to the step, change the declaration as the message says, or stop supporting the older version.",
    example: `
upgrades({ price: text() })
  .to(2, retype("price", "cents", int32(), (price: string) => Number(price) * 100)) // no way back
  .supports(1);`,
  },
  "model.table-name": {
    cause:
      "The name of a table is not valid: it has 3 to 63 letters and digits, starts with a letter, and is not `tables`.",
    remedy: "Choose another name, without hyphens, underscores or dots.",
    example: `
@Table("my-pages")
class Page {
${keysOfPage}
}

context.query(Page);`,
  },
  "model.too-many-properties": {
    cause: "A class declares more than 252 stored properties, the most that the service stores in one row.",
    remedy: "Combine properties that you don't query into one `@Json()` property.",
    example: `
const properties = Object.fromEntries(Array.from({ length: 253 }, (_, i) => [\`property\${i}\`, text()]));
class Page extends defineEntity({
  table: "Pages",
  partitionKey: { site: text() },
  rowKey: { name: text() },
  properties,
}) {}

context.query(Page);`,
  },
  "model.type-not-inferred": {
    cause:
      "`@Property()` does not know the type of a property, because the compiler recorded only `Object` or nothing.",
    remedy: "Write the decorator of the EDM type instead, such as `@Text()` or `@Int32()`.",
    needs: "legacy decorators",
    example: `
@Table("Pages")
class Page {
${keysOfPage}
  @Text({ optional: true }) title?: string | null; // not @Property()
}`,
  },
  "model.unknown-setting": {
    cause: "`defineEntity`, `defineKind` or a class decorator got a setting that does not exist.",
    remedy: "Use a name from the list in the message. It often suggests the name that you meant.",
    example: `
defineEntity({
  table: "Pages",
  partitionKey: { site: text() },
  rowKey: { name: text() },
  propertys: {},
} as never);`,
  },
  "model.upgrade-result": {
    cause:
      "A function of an upgrade returned something other than the properties of its version. You see it as the `cause` of `upgrade.step-failed`.",
    remedy: "Return an object with exactly the declared properties, and a value for each required one.",
    example: `
const first = upgrades({ title: text() });

@Version(1, first)
@Table("Articles")
class OldArticle {
  @PartitionKey() site!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() title!: string;
}
@Version(2, first.to(2, split("title", { heading: text() }, () => ({ subject: "?" }) as never)))
@Table("Articles")
class Article {
  @PartitionKey() site!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() heading!: string;
}

await createTables(storage, [OldArticle]);
context.create(OldArticle, { site: "s", id: "1", title: "Hello" });
await context.saveChanges();
await new TableContext(storage).find(Article, { site: "s", id: "1" });`,
  },
  "model.upgrade-step": {
    cause:
      "A step of an upgrade does not fit its version: it names a property that is not there, or the versions do not count up by one.",
    remedy: "Correct the step. Steps use stored names, and each `.to(n, …)` follows the previous version.",
    example: `
upgrades({ title: text() }).to(2, rename("heading", "title"));`,
  },
  "model.upgrades": {
    cause: "The properties of a class are not those that its upgrades lead to.",
    remedy: "Add the missing step, or correct the declared property, as the message says.",
    example: `
@Version(2, upgrades({ title: text() }).to(2, rename("title", "heading")))
@Table("Pages")
class Page {
${keysOfPage}
  @Text() title!: string; // is now called heading
}

context.query(Page);`,
  },
  "model.version": {
    cause:
      "The version of a class is not a whole number of 1 or greater, or differs from the last version of its upgrades.",
    remedy: "Write the same number in `@Version` and in the last `.to(n, …)`.",
    example: `
@Version(3, upgrades({ title: text() }).to(2, rename("title", "heading")) as never)
@Table("Pages")
class Page {
${keysOfPage}
  @Text() heading!: string;
}

context.query(Page);`,
  },
};
