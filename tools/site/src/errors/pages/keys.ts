import type { AreaPages } from "../error-page.ts";

export const keys: AreaPages = {
  "key.contains-separator": {
    cause:
      "A text that is part of a key contains the separator that joins the parts. Partita could not split the stored key into its parts again.",
    remedy:
      "Choose a separator that your values don't contain, move this part to the end of the key, or declare it with the format `escaped`.",
    example: `
@Table("Pages")
class Page {
  @PartitionKey() site!: Key<string>;
  @RowKey() folder!: Key<string>;
  @RowKey() name!: Key<string>;
}

context.create(Page, { site: "docs", folder: "how_to", name: "start" }); // "_" joins folder and name
await context.saveChanges();`,
  },
  "key.forbidden-character": {
    cause:
      "A key contains `/`, `\\`, `#`, `?` or a control character. Azure Table Storage does not accept these characters in PartitionKey and RowKey.",
    remedy:
      "Replace the character, or declare the key part with the format `escaped`, which stores any text.",
    example: `
context.create(Blog, { channel: "news/sport", slug: "hello", title: "Hello" });
await context.saveChanges();`,
  },
  "key.invalid-part": {
    cause:
      "A key part has a value that its format cannot write, such as a negative number for `padded(4)` or an invalid date for `newestFirst`.",
    remedy:
      "Pass a value of the form that the message names. If the format is too narrow, choose another one, such as `padded(6)` or `padded(4, { signed: true })`.",
    example: `
@Table("Races")
class Runner {
  @PartitionKey() race!: Key<string>;
  @RowKey(padded(4)) bib!: Key<number>;
}

await context.find(Runner, { race: "Oslo", bib: 12_345 }); // has more than 4 digits`,
  },
  "key.invalid-time": {
    cause: "`ulid(at)` got something other than a valid `Date` from 1970 to 10889.",
    remedy: "Pass a valid date, or call `ulid()` without arguments for the present time.",
    example: `
ulid(new Date("yesterday")); // an invalid date`,
  },
  "key.malformed": {
    cause:
      "A text in a key contains half of a surrogate pair, for example because an emoji was cut in the middle. Such text has no UTF-8 form, so the service cannot store it.",
    remedy: "Remove the damaged character with `text.toWellFormed()`, or cut texts by code points.",
    example: `
context.create(Blog, { channel: "news", slug: "😀".slice(0, 1), title: "Hello" });
await context.saveChanges();`,
  },
  "key.missing-part": {
    cause: "A property that is part of the key has no value, so Partita cannot build the key.",
    remedy: "Assign all key parts before you add or find the entity.",
    example: `
await context.find(Blog, { channel: "news" } as typeof key); // slug is missing`,
  },
  "key.no-digest": {
    cause:
      "A key uses the format `bucket(count)`, which needs the MD5 digest of `node:crypto`. Browsers don't have it.",
    remedy:
      'Build the key on a server. For a bucket of an integer, you can declare `bucket(count, { by: "modulo" })`, which needs no digest.',
    needs: "a browser",
    example: `
try {
  fromPlain(Reading, await response.json());
} catch (error) {
  if (KeyError.is(error) && error.code === "key.no-digest") showAsText(); // build the entity on the server
  else throw error;
}`,
  },
  "key.not-an-object": {
    cause:
      "A method that takes a key, such as `find`, got something else, such as a text. Partita needs an object with all key parts by name.",
    remedy: "Pass an object with the properties that the message lists.",
    example: `
await context.find(Blog, "hello" as never);`,
  },
  "key.reserved": {
    cause:
      "The RowKey of an entity starts with a text that Partita uses for other rows of the same table: the rows of an index, of markers or of outbox messages. Or its PartitionKey starts with `~u~`, which reservations of unique values use.",
    remedy:
      "Give the entity another key. To avoid the clash for all entities, put a `constant(…)` with a text of its own at the start of the RowKey.",
    example: `
@Table("Members")
@Index("byName", { rowKey: { name: constant("NAME:", verbatim) } })
class Member {
  @PartitionKey() club!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() name!: string;
}

await createTables(storage, [Member]);
context.create(Member, { club: "swift", id: "NAME:Ann", name: "Ann" });
await context.saveChanges();`,
  },
  "key.too-long": {
    cause:
      "A PartitionKey or RowKey is longer than 512 characters, the most that Partita sends. The service stores at most 1 KiB for each key.",
    remedy:
      "Shorten the values in the key. Store a long text in a property, and put a short id, a hash or its first characters (`leading(n)`) into the key.",
    example: `
context.create(Blog, { channel: "news", slug: "a".repeat(600), title: "Hello" });
await context.saveChanges();`,
  },
  "key.unreadable": {
    cause:
      "A row has a PartitionKey or RowKey that does not have the declared format. Another program wrote it, or the key of the class changed after the row was stored.",
    remedy:
      'Correct the declaration of the key, or move the row to a valid key. To skip such rows, read with `unreadableRows: "skip"`.',
    example: `
@Table("Blogs")
class NumberedBlog {
  @PartitionKey() channel!: Key<string>;
  @RowKey(padded(4)) no!: Key<number>;
}

await new TableContext(storage).query(NumberedBlog).where({ channel: "news" }).toArray(); // "hello" is not a number`,
  },
};
