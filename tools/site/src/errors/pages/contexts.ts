import type { AreaPages } from "../error-page.ts";

export const contexts: AreaPages = {
  "context.disposed": {
    cause:
      "A context was used after it was closed. With `await using`, the context closes when its block ends, which can be before a promise that you return has finished.",
    remedy:
      "Create a context for each unit of work. Await results inside the block: `return await query.toArray()`.",
    example: `
await using closing = new TableContext(storage);
await closing[Symbol.asyncDispose]();
await closing.find(Blog, key);`,
  },
  "context.option": {
    cause:
      "A context, a save or another call got an option that does not exist, or a value that the option does not take.",
    remedy: "Use a name and a value from the message. It often suggests the name that you meant.",
    example: `
new TableContext(storage, { trackng: "explicit" } as never);`,
  },
  "context.pending-changes": {
    cause: "`clear()` would lose changes that are not saved, or not known to be saved.",
    remedy: "Save first. If you don't need the changes, call `clear({ discard: true })`.",
    example: `
blog.rating = 5;
context.clear();`,
  },
  "context.reentrant-save": {
    cause:
      "You called `saveChanges()` or a similar method inside a hook, a validator, or the function of `modify()` or `work()` of the same context. These run during a save.",
    remedy: "Only change entities there. The running save includes changes from a `saving` hook.",
    example: `
const hooked: TableContext = new TableContext(storage, {
  hooks: {
    async saving() {
      await hooked.saveChanges();
    },
  },
});
hooked.create(Blog, { channel: "news", slug: "new", title: "New" });
await hooked.saveChanges();`,
  },
  "context.reentrant-work": {
    cause:
      "You called `work()` inside the function of another `work()`. The inner changes could be stored although the outer ones fail.",
    remedy: "Make all changes in one function, and pass its context to the functions that you call.",
    example: `
await work(storage, async () => {
  await work(storage, async (inner) => {
    inner.create(Blog, { channel: "news", slug: "inner", title: "Inner" });
  });
});`,
  },
  "context.saving-hook-endless": {
    cause:
      "A `saving` hook adds or changes entities each time it runs. Each change makes the hook run again, so the save would never end.",
    remedy: "Let the hook ignore entities that it has added or changed itself.",
    example: `
let count = 0;
const hooked: TableContext = new TableContext(storage, {
  hooks: {
    saving: () => {
      hooked.create(Blog, { channel: "log", slug: String(count++), title: "Saved" });
    },
  },
});
hooked.create(Blog, { channel: "news", slug: "new", title: "New" });
await hooked.saveChanges();`,
  },
  "context.schema": {
    cause:
      "`standardSchema()` got something other than an entity class and a schema that follows Standard Schema.",
    remedy: "Pass the class first, then a schema of zod 3.24, valibot 1.0, arktype 2.0 or later.",
    example: `
standardSchema(Blog, { title: "string" } as never);`,
  },
  "context.scope": {
    cause:
      "A context and a class disagree about the scope: the class declares `scopedBy` and the context has no scope, the class says nothing about scopes, or you asked for the rows of another scope.",
    remedy:
      'Create the context with `{ scope: { tenant: "acme" } }`, declare the class with `scopedBy` or `unscoped: true`, and leave the scope out of keys and conditions.',
    example: `
@Table("Orders", { scopedBy: "tenant" })
class Order {
  @PartitionKey() tenant!: ScopedKey<string>;
  @RowKey() id!: Key<string>;
}

await context.find(Order, { id: "7" } as never); // this context has no scope`,
  },
  "context.storage": {
    cause:
      "`new TableContext()` or `createTables()` got something other than an open storage. A common reason is a missing `await` before `openStorage()`.",
    remedy: "Await the storage first: `const storage = await openStorage(target)`.",
    example: `
new TableContext(openStorage("memory:") as never); // a promise`,
  },
};

export const upgradePages: AreaPages = {
  "upgrade.back-failed": {
    cause:
      "A class supports an older version, and its upgrade step could not convert an entity back to that version.",
    remedy:
      "Correct the function `back` of the step, or the values of the entity. Once no older release runs, remove `supports()`.",
    example: `
const versions = upgrades({ price: text() }).to(
  2,
  retype("price", "cents", int32(), (price: string) => Math.round(Number(price) * 100), {
    back(cents: number) {
      if (cents < 0) throw new RangeError("Prices are positive.");
      return (cents / 100).toFixed(2);
    },
  }),
);

@Version(2, versions.supports(1))
@Table("Items")
class Item {
  @PartitionKey() shop!: Key<string>;
  @RowKey() id!: Key<string>;
  @Int32() cents!: number;
}

await createTables(storage, [Item]);
context.create(Item, { shop: "s", id: "1", cents: -5 });
await context.saveChanges();`,
  },
  "upgrade.not-clean": {
    cause:
      "A class declares with `clean()` that no older rows exist, but a query with `select()` found one. Partita can only upgrade a complete row.",
    remedy: "Run `upgradeTable()` for the table, or remove `clean()` until it has run.",
    example: `
const first = upgrades({ title: text() });

@Version(1, first)
@Table("Articles")
class OldArticle {
  @PartitionKey() site!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() title!: string;
}
@Version(2, first.to(2, rename("title", "heading")).clean(2))
@Table("Articles")
class Article {
  @PartitionKey() site!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() heading!: string;
}

await createTables(storage, [OldArticle]);
context.create(OldArticle, { site: "s", id: "1", title: "Hello" });
await context.saveChanges();
await new TableContext(storage).query(Article).where({ site: "s" }).select("heading").toArray();`,
  },
  "upgrade.step-failed": {
    cause:
      "An upgrade step threw an error, or returned values that its version cannot hold. The stored row is unchanged. `cause` has the original error.",
    remedy: "Correct the step, or the values of the row that the message names.",
    example: `
const first = upgrades({ price: text() });

@Version(1, first)
@Table("Items")
class OldItem {
  @PartitionKey() shop!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() price!: string;
}
@Version(2, first.to(2, retype("price", "cents", int32(), (price: string) => Number(price) * 100)))
@Table("Items")
class Item {
  @PartitionKey() shop!: Key<string>;
  @RowKey() id!: Key<string>;
  @Int32() cents!: number;
}

await createTables(storage, [OldItem]);
context.create(OldItem, { shop: "s", id: "1", price: "free" }); // not a number
await context.saveChanges();
await new TableContext(storage).find(Item, { shop: "s", id: "1" });`,
  },
  "upgrade.version": {
    cause:
      "The property that stores the version of a row is not a whole number of 1 or more. Another program wrote the row.",
    remedy: "Correct the row, or choose another name for the version with `versionProperty`.",
    example: `
@Version(2, upgrades({ title: text() }).to(2, add("rating", int32(), 0)))
@Table("Articles")
class Article {
  @PartitionKey() site!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() title!: string;
  @Int32() rating!: number;
}

await createTables(storage, [Article]);
await storage.transact("Articles", [
  { type: "insert", entity: { PartitionKey: "s", RowKey: "1", title: "Hello", SchemaVersion: "two" } },
]);
await context.find(Article, { site: "s", id: "1" });`,
  },
};
