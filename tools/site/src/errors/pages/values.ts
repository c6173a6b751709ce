import type { AreaPages } from "../error-page.ts";

export const values: AreaPages = {
  "edm.changed-in-place": {
    cause:
      "The bytes of a `Uint8Array` changed after the entity was saved, or its memory was transferred. Partita no longer knows which value is stored.",
    remedy: "Assign a new array when the bytes change, and read the entity again.",
    example: `
@Table("Pictures")
class Picture {
  @PartitionKey() album!: Key<string>;
  @RowKey() name!: Key<string>;
  @Binary({ inPlace: true }) bytes!: Uint8Array; // Partita takes no copy
}

await createTables(storage, [Picture]);
const bytes = new Uint8Array(64 * 1024);
const picture = context.create(Picture, { album: "a", name: "p", bytes });
await context.saveChanges();
bytes.fill(7);
context.discard(picture); // the stored bytes are not known`,
  },
  "edm.conversion-failed": {
    cause:
      "A converter of yours threw an error, or a value could not be written or read as JSON. The original error is the `cause`.",
    remedy:
      "Look at `error.cause` and correct the converter. For JSON, store plain data: no functions, no cycles, no bigint.",
    example: `
@Table("Notes")
class Note {
  @PartitionKey() board!: Key<string>;
  @RowKey() id!: Key<string>;
  @Json() content!: object;
}

const content: { self?: object } = {};
content.self = content; // a cycle
context.create(Note, { board: "b", id: "1", content });
await context.saveChanges();`,
  },
  "edm.malformed": {
    cause:
      "A value has the declared type but not the form that its EDM type needs, such as a text that is not a GUID, or a text with half of a surrogate pair.",
    remedy: "Correct the value. The message names the form that the property takes.",
    example: `
blog.title = "\\ud83d"; // half of an emoji
await context.saveChanges();`,
  },
  "edm.mismatch": {
    cause:
      "A row stores a property with another EDM type than the class declares. Another program wrote it, or the declared type changed.",
    remedy:
      'Declare the stored type. If old rows have another type, list it: `@Int32({ alsoReads: ["Edm.String"] })`, or add an upgrade.',
    example: `
@Table("Blogs")
class RatedByText {
  @PartitionKey() channel!: Key<string>;
  @RowKey() slug!: Key<string>;
  @Text() rating!: string; // stored as Edm.Int32
}

await new TableContext(storage).find(RatedByText, key);`,
  },
  "edm.out-of-range": {
    cause:
      "A number or date is outside the range of its EDM type. Edm.Int32 takes whole numbers of 32 bits, Edm.Int64 those of 64 bits, and Edm.DateTime dates from the year 1601.",
    remedy: "Correct the value, or declare a wider type, such as `@Int64()` or `@Double()`.",
    example: `
blog.rating = 3_000_000_000; // more than 32 bits
await context.saveChanges();`,
  },
  "edm.wrong-type": {
    cause:
      "A property has a value of another type than its declaration, such as a text in an `@Int32()` property. This often happens with data that was not checked, such as a request body.",
    remedy: "Assign a value of the declared type. Check data from outside with `inputSchema` or `fromPlain`.",
    example: `
Object.assign(blog, { rating: "5" }); // a text, for Edm.Int32
await context.saveChanges();`,
  },
  "property.absent": {
    cause:
      "A row has no value for a required property. The property was renamed or added without an upgrade, or another program wrote the row.",
    remedy:
      "Give the property an initial value, declare it as optional, or declare an upgrade that renames or adds it.",
    example: `
@Table("Blogs")
class BlogWithAuthor {
  @PartitionKey() channel!: Key<string>;
  @RowKey() slug!: Key<string>;
  @Text() author!: string; // the stored rows don't have it
}

await new TableContext(storage).find(BlogWithAuthor, key);`,
  },
  "property.required": {
    cause: "A required property is undefined or null when you save.",
    remedy:
      "Assign a value. If the property may be empty, declare it with `{ optional: true }` or give it an initial value.",
    example: `
context.create(Blog, { channel: "news", slug: "untitled" } as Blog); // no title
await context.saveChanges();`,
  },
  "property.too-large": {
    cause:
      "A text or binary value is larger than the 64 KiB that the service stores in one property. A text has two bytes for each character.",
    remedy:
      "Shorten the value, split it over several properties, or store it in a blob or with `@partita/files`.",
    example: `
blog.title = "a".repeat(40_000);
await context.saveChanges();`,
  },
  "plain.invalid-value": {
    cause:
      "A value in plain data, such as JSON from a request, does not have the form that the property takes. A date, for example, is an ISO text.",
    remedy: "Correct the data. The message names the property and the form that it takes.",
    example: `
fromPlain(Blog, { channel: "news", slug: "hello", title: 42 });`,
  },
  "plain.not-an-object": {
    cause: "`fromPlain` or `assign` got something other than an object, such as an array, a text or null.",
    remedy:
      "Pass an object with the entity's properties. Check the body of the request before you pass it on.",
    example: `
fromPlain(Blog, JSON.parse("null"));`,
  },
  "plain.read-only": {
    cause:
      "The data for `assign` changes a property that it may only repeat, such as a part of the key, or a list that it cannot set.",
    remedy:
      "Remove the property from the data. To move an entity to another key, remove it and create a copy. To change a list, use `createIn` and `remove`.",
    example: `
context.assign(blog, { slug: "goodbye" });`,
  },
  "plain.unknown-property": {
    cause:
      "Plain data has a property that the class does not declare, or one that is hidden from plain data.",
    remedy:
      "Remove the property from the data, or declare it. For hidden properties in a copy of your own data, pass `{ hidden: true }`.",
    example: `
fromPlain(Blog, { channel: "news", slug: "hello", title: "Hello", isAdmin: true });`,
  },
  "plain.wrong-kind": {
    cause:
      "`fromPlain` got data of another kind than the class, or data without a kind for a base class of several kinds.",
    remedy: "Pass the class of that kind, or the base class of all kinds. The data names its kind in `kind`.",
    example: `
@Table("Entries")
abstract class Entry {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
}
@Kind("Post")
class Post extends Entry {}
@Kind("Comment")
class Comment extends Entry {}

fromPlain(Post, toPlain(Object.assign(new Comment(), { channel: "c", id: "1" })));`,
  },
};
