import type { AreaPages } from "../error-page.ts";

export const conflicts: AreaPages = {
  "conflict.busy": {
    cause:
      "Several programs try to store one value that is unique over the table, and refuse each other again and again. None of them holds it yet.",
    remedy: "Save again after a moment. The change stays pending.",
    example: `
@Table("Users")
class User {
  @PartitionKey() tenant!: Key<string>;
  @RowKey(constant("ID:", verbatim)) id!: Key<string>;
  @Unique("MAIL:", { over: "table" }) @Text() email!: string;
}

context.create(User, { tenant: "t", id: "1", email: "ann@example.org" });
await context.saveChanges(); // while many other programs store the same address`,
    needs: "several programs",
  },
  "conflict.etag": {
    cause:
      "Another writer changed or replaced the row after your program read it. Your change was not stored. `saveChanges()` reports it in a SaveError.",
    remedy:
      'Call `resolveConflict(entity, "mine")` or `"theirs"`, or pass a function that chooses for each property, and save again. `modify()` does all of this for one entity.',
    example: `
const second = new TableContext(storage);
await second.modify(Blog, key, (found) => {
  found.rating = 4;
});

blog.rating = 5;
await context.saveChanges(); // the stored row is newer`,
  },
  "conflict.exists": {
    cause: "You added an entity, and a row with its key is already stored.",
    remedy:
      'Choose another key, or read and change the stored entity. To overwrite it, call `resolveConflict(entity, "mine")` and save again. `upsert()` writes a row whether it exists or not.',
    example: `
const other = new TableContext(storage);
other.create(Blog, { ...key, title: "Hello again" });
await other.saveChanges();`,
  },
  "conflict.missing": {
    cause: "You changed or removed an entity, and its row no longer exists: another writer removed it.",
    remedy:
      'Call `resolveConflict(entity, "mine")` to store it again, or `"theirs"` to accept the removal. To ignore missing rows when you remove, save with `{ removeMissing: "ignore" }`.',
    example: `
const other = new TableContext(storage);
other.removeByKey(Blog, key, "*");
await other.saveChanges();

blog.rating = 5;
await context.saveChanges();`,
  },
  "conflict.unique": {
    cause: "Another entity of the partition, or of the table, already has this value of a unique property.",
    remedy:
      "Assign another value, or change the entity that has it, and save again. `error.unique` names the index.",
    example: `
@Table("Users")
class User {
  @PartitionKey() tenant!: Key<string>;
  @RowKey() id!: Key<string>;
  @Unique("MAIL:") @Text() email!: string;
}

await createTables(storage, [User]);
context.create(User, { tenant: "t", id: "1", email: "ann@example.org" });
await context.saveChanges();
context.create(User, { tenant: "t", id: "2", email: "ann@example.org" });
await context.saveChanges();`,
  },
};

export const saves: AreaPages = {
  "save.failed": {
    cause:
      "At least one change of a save was not stored, or Partita does not know whether it was. Other changes may be stored: a save is only atomic within one transaction.",
    remedy:
      "Look at `error.results`, or at `error.conflicts`, `error.rejected` and `error.unknown`. Rejected and unknown changes stay pending, and you can save again after you resolve the conflicts.",
    example: `
const other = new TableContext(storage);
other.create(Blog, { ...key, title: "Hello again" }); // this key is stored already
await other.saveChanges();`,
  },
  "save.hook-failed": {
    cause: "All changes were stored, but a `saved` or `received` hook threw an error afterwards.",
    remedy: "Don't save again: nothing is pending. Look at `error.cause` and correct the hook.",
    example: `
const hooked = new TableContext(storage, {
  hooks: {
    saved: () => {
      throw new Error("The log is full.");
    },
  },
});
hooked.create(Blog, { channel: "news", slug: "new", title: "New" });
await hooked.saveChanges();`,
  },
  "save.invalid": {
    cause:
      "At least one entity cannot be stored: a value has the wrong type, a property is missing, or a validator found a violation. Nothing was sent.",
    remedy:
      "Correct the entities that the message lists, and save again. `error.violations` has the problems by property.",
    example: `
context.create(Blog, { channel: "news", slug: "untitled" } as Blog); // no title
await context.saveChanges();`,
  },
  "save.not-atomic": {
    cause:
      'You saved with `batch: "atomic"`, and the changes need more than one transaction. A transaction takes at most 100 operations and 4 MiB of one table and partition.',
    remedy: 'Save fewer changes at once, store them in one partition, or leave out `batch: "atomic"`.',
    example: `
context.create(Blog, { channel: "sport", slug: "a", title: "A" });
context.create(Blog, { channel: "music", slug: "b", title: "B" });
await context.saveChanges({ batch: "atomic" }); // two partitions`,
  },
  "save.stopped": {
    cause:
      "`removeAll()` or `updateAll()` stopped before the end, for example because you cancelled it or a page could not be read. The changes until then are stored.",
    remedy:
      "Correct the problem that `error.cause` names, and call the method again. It continues with the remaining rows.",
    example: `
for (let no = 0; no < 1_100; no++) context.create(Blog, { channel: "old", slug: String(no), title: "Old" });
await context.saveChanges();

const cancel = new AbortController();
await context
  .query(Blog)
  .where({ channel: "old" })
  .removeAll({ signal: cancel.signal, onProgress: () => cancel.abort() }); // stops after a page`,
  },
};
