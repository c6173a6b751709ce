import type { AreaPages } from "../error-page.ts";

/** A context without retries, over a storage that fails its first writes. */
const failing = (...faults: string[]): string => `
const faulty = withFaults(storage, writeFaults(${faults.map((fault) => `"${fault}"`).join(", ")}));
const unlucky = new TableContext(faulty, { retry: noRetry, clock: virtualClock() });`;

const newBlog = `
unlucky.create(Blog, { channel: "news", slug: "new", title: "New" });
await unlucky.saveChanges();`;

/** A row as a storage takes it. */
const row = '{ PartitionKey: "news", RowKey: "row" }';

const aServer = "a PostgreSQL server";

export const storages: AreaPages = {
  "storage.access-policy": {
    cause:
      "`setAccessPolicies()` got policies that the service would refuse: more than five, two with the same id, or invalid permissions or times.",
    remedy: "Correct the policies as the message says.",
    example: `
const service = await openTableService("AccountName=acct;AccountKey=a2V5;EndpointSuffix=core.windows.net");
await service.setAccessPolicies("Blogs", [{ id: "readers", permissions: "read" as never }]);`,
  },
  "storage.cancelled": {
    cause:
      'The AbortSignal that you passed stopped a request or a job. `error.applied` is `"maybe"` if the request was already sent.',
    remedy:
      "If you stopped it on purpose, ignore the error. After a cancelled save, `resolveInDoubt()` finds out what was stored.",
    example: `
await context.query(Blog).where({ channel: "news" }).toArray({ signal: AbortSignal.abort() });`,
  },
  "storage.cannot-open": {
    cause: "The file of an embedded storage cannot be opened or created. Often its folder does not exist.",
    remedy: "Create the folder, and check that the path names a file and that you may write to it.",
    example: `
await openStorage("file:/no/such/folder/blogs.db");`,
  },
  "storage.clock-skew": {
    cause:
      "The service refused a signature because the clock of this computer is wrong by more than 15 minutes.",
    remedy: "Set the clock, or turn on time synchronisation. Then check the account key.",
    needs: "a wrong clock",
    example: `
try {
  await context.find(Blog, key);
} catch (error) {
  if (!(error instanceof StorageError) || error.code !== "storage.clock-skew") throw error;
  console.error("Set the clock of this computer:", new Date().toISOString());
}`,
  },
  "storage.closed": {
    cause: "A storage was used after `close()`. With `await using`, a storage closes when its block ends.",
    remedy: "Open a storage once for the whole program, and close it when the program ends.",
    example: `
await storage.close();
await context.reload(blog);`,
  },
  "storage.connection-lost": {
    cause:
      'The connection broke before a response arrived. A write may have been applied: `error.applied` is `"maybe"` then.',
    remedy:
      "Partita retries such requests by default. If a save still reports the change as unknown, call `resolveInDoubt()` or save again.",
    example: `${failing("reset-before")}
${newBlog}`,
  },
  "storage.connection-string": {
    cause:
      "A connection string lacks a part, or has a part that is not valid. The message never repeats its keys.",
    remedy: "Copy the connection string from the Azure portal again, without quotation marks around it.",
    example: `
await openStorage("AccountName=acct");`,
  },
  "storage.damaged": {
    cause: "The file of an embedded storage is damaged: a page or a stored row cannot be read.",
    remedy:
      "Restore the file from a backup. Without one, save what can be read with `repairDatabase()`, and find the damage with `verifyDatabase()`.",
    needs: "a damaged file",
    example: `
const { tables, lostRows } = await repairDatabase("file:blogs.db", "file:repaired.db");
console.log(tables, lostRows);`,
  },
  "storage.embedded": {
    cause: "SQLite reported an error for which Partita has no code of its own.",
    remedy:
      "Read the message of SQLite in the text. If the error comes back, check the file with `verifyDatabase()`.",
    needs: "a rare fault of SQLite",
    example: `
const { isClean, findings } = await verifyDatabase("file:blogs.db");
console.log(isClean, findings);`,
  },
  "storage.failed": {
    cause:
      "A storage that is not one of Partita's threw an error that is no StorageError. Partita must assume that the write may have been applied.",
    remedy:
      "In your own storage, throw a StorageError that says in `applied` whether the write may be stored.",
    example: `
const own = new Proxy(storage, {
  get(target, name) {
    if (typeof name === "symbol") return undefined;
    if (name === "write" || name === "transact") return () => Promise.reject(new Error("The disk is on fire."));
    const member: unknown = Reflect.get(target, name);
    return typeof member === "function" ? member.bind(target) : member;
  },
});
const unlucky = new TableContext(own, { retry: noRetry, clock: virtualClock() });
${newBlog}`,
  },
  "storage.file-exists": {
    cause: "`repairDatabase()` writes a new file, and the file that you named exists.",
    remedy: "Name a file that does not exist. Repairing never changes an existing file.",
    needs: "two files",
    example: `
await repairDatabase("file:blogs.db", "file:repaired.db"); // repaired.db must not exist`,
  },
  "storage.file-replaced": {
    cause:
      "The file of an embedded storage was replaced or removed while it was open. Or another program changed a file in a read-only folder while you read it.",
    remedy: "Close the storage and open it again. Stop the program before you copy or restore its file.",
    needs: "a file that another program replaces",
    example: `
await storage.close();
const reopened = await openStorage("file:blogs.db");`,
  },
  "storage.foreign-settings": {
    cause: "The table in which a server stores its settings has other content.",
    remedy: "Copy that content to a table of another name, and delete the table.",
    needs: "a server over a storage with such a table",
    example: `
const server = await startTableServer({ storage });
console.log(server.connectionString);`,
  },
  "storage.full": {
    cause:
      'The file of an embedded storage, or a PostgreSQL database, cannot grow, because the disk is full. The write was not stored, unless `error.applied` is `"maybe"`.',
    remedy: "Free space on the disk, and save again.",
    needs: "a full disk",
    example: `
try {
  await context.saveChanges();
} catch (error) {
  const [result] = error instanceof SaveError ? error.rejected : [];
  if (!(result?.error instanceof StorageError) || result.error.code !== "storage.full") throw error;
  console.error("The disk is full.");
}`,
  },
  "storage.gone": {
    cause:
      'A removal lost its response, and the row no longer exists. Another writer may have removed it. This is reported only with `removeMissing: "error"`.',
    remedy:
      'If you only need the row to be gone, leave out `removeMissing: "error"`. To know which removal won, declare the table with `proof: "marker"`.',
    example: `${failing("timeout-after")}
const found = await unlucky.find(Blog, key);
if (found !== undefined) unlucky.remove(found);
await unlucky.saveChanges({ removeMissing: "error" });`,
  },
  "storage.header": {
    cause:
      "The option `headers` returned a header that Partita or the connection sets, or a name or value that HTTP does not allow.",
    remedy: "Return headers of your own, such as `traceparent`. Their values are text in one line.",
    needs: "a service",
    example: `
const storage = await openStorage(connectionString, { headers: () => ({ "x-correlation-id": "order-7" }) });`,
  },
  "storage.insecure-token": {
    cause:
      "A credential with bearer tokens is used with an endpoint of `http:`. Anyone who reads a token can use it.",
    remedy: "Use the `https:` URL of the endpoint.",
    example: `
const insecure = await openStorage("http://127.0.0.1:10002/devstoreaccount1", {
  credential: { getToken: async () => ({ token: "token", expiresOnTimestamp: Date.now() + 3_600_000 }) },
});
await insecure.listTables();`,
  },
  "storage.io": {
    cause: "The disk reported an error while the file of an embedded storage was read or written.",
    remedy: "Check the disk and its space, then check the file with `verifyDatabase()`.",
    needs: "a faulty disk",
    example: `
const { isClean } = await verifyDatabase("file:blogs.db");
console.log(isClean);`,
  },
  "storage.malformed-response": {
    cause:
      "A response cannot be read: it is no response of a table service. A proxy or a login page often answers in its place.",
    remedy: "Check the endpoint, and what is between your program and the service, such as a proxy.",
    example: `${failing("garbage")}
${newBlog}`,
  },
  "storage.newer-format": {
    cause: "The file of an embedded storage was written by a newer version of Partita.",
    remedy: "Update `@partita/core` in this program.",
    needs: "a file of a newer version",
    example: `
try {
  await openStorage("file:blogs.db");
} catch (error) {
  if (!(error instanceof StorageError) || error.code !== "storage.newer-format") throw error;
  console.error("Update this program first.");
}`,
  },
  "storage.no-secondary": {
    cause: "A read asks for the secondary endpoint of the account, and it has none.",
    remedy:
      "Create the account with read access to the secondary region, name its secondary endpoint, or leave out `staleReads`.",
    needs: "an account without a secondary endpoint",
    example: `
const context = new TableContext(storage, { staleReads: false });`,
  },
  "storage.no-sqlite": {
    cause: "The embedded storage needs the module `node:sqlite`, and this runtime does not have it.",
    remedy: "Use Node 22.19 or later. Table services work without this module.",
    needs: "a runtime without node:sqlite",
    example: `
const storage = await openStorage("UseDevelopmentStorage=true"); // a service needs no SQLite`,
  },
  "storage.no-token": {
    cause: "The credential returned no access token. Nothing was sent.",
    remedy: "Check how the identity signs in: environment variables, managed identity, or `az login`.",
    example: `
const service = await openStorage("https://acct.table.core.windows.net", {
  credential: { getToken: async () => null },
});
await service.listTables();`,
  },
  "storage.node-version": {
    cause: "This version of Node, Deno or Bun is too old for Partita.",
    remedy: "Install the version that the message names, or a newer one, and run the program with it.",
    needs: "an old runtime",
    example: `
console.log(process.version);`,
  },
  "storage.not-a-database": {
    cause: "A file is no database of Partita: it is empty, or another program wrote it.",
    remedy: "Name another file. `openStorage()` creates one that does not exist.",
    needs: "a file of another program",
    example: `
const storage = await openStorage("file:blogs.db"); // not a file such as notes.txt`,
  },
  "storage.claim-expired": {
    cause:
      "A save reserved a value that is unique over the table, and the program then paused for more than ten minutes, for example because the computer slept. Nothing was stored.",
    remedy: "Save again.",
    example: `
context.create(User, { tenant: "t", id: "1", email: "ann@example.org" });
await context.saveChanges(); // the computer sleeps meanwhile`,
    needs: "a computer that sleeps",
  },
  "storage.stale-reads": {
    cause:
      'A class declares a unique value `over: "table"`, but the storage may return rows that are older than those of other programs. Cosmos DB does so with its default consistency.',
    remedy:
      'If your Cosmos DB account has strong consistency, open it with `{ consistency: "strong" }`. Otherwise, make the value unique in its partition.',
    example: `
@Table("Users")
class User {
  @PartitionKey() tenant!: Key<string>;
  @RowKey(constant("ID:", verbatim)) id!: Key<string>;
  @Unique("MAIL:", { over: "table" }) @Text() email!: string;
}

const shop = { accountName: "shop", accountKey: "c2VjcmV0" };
const cosmos = await openStorage("https://shop.table.cosmos.azure.com", { credential: shop });
await createTables(cosmos, [User]);`,
  },
  "storage.not-sent": {
    cause:
      "A change was not sent: a `sending` hook threw an error, or another change that must be sent with it failed first. Nothing was stored.",
    remedy: "Look at `error.cause` and the other results of the save. The change stays pending: save again.",
    example: `
const hooked = new TableContext(storage, {
  hooks: {
    sending() {
      throw new Error("Read-only mode.");
    },
  },
});
await hooked.find(Blog, key);`,
  },
  "storage.not-stored": {
    cause:
      "The response to a write was lost. `resolveInDoubt()` has now proved that the write was not stored and can no longer arrive.",
    remedy: "The change is still pending. Save again.",
    example: `${failing("timeout-before")}
const found = await unlucky.find(Blog, key);
if (found !== undefined) found.rating = 5;
await unlucky.saveChanges().catch(() => undefined); // unknown
const [result] = await unlucky.resolveInDoubt({ wait: true });
throw result?.error;`,
  },
  "storage.older-format": {
    cause:
      "The file of an embedded storage has a format from before the first release, which this version cannot read.",
    remedy: "Export it with `partita backup` of the version that wrote it, and restore it into a new file.",
    needs: "a file of an old version",
    example: `
const storage = await openStorage("file:restored.db"); // after partita restore`,
  },
  "storage.option": {
    cause:
      "`openStorage()`, `openTableService()` or a similar call got an option that does not exist, or a value that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
await openStorage("memory:", { timeout: 1_000 } as never); // timeouts: { readMs: 1_000 }`,
  },
  "storage.postgres": {
    cause: "PostgreSQL reported an error for which Partita has no code of its own.",
    remedy:
      "Look up the SQLSTATE from the message, or read the server's log. Partita leaves out PostgreSQL's own message, because it quotes keys and values.",
    needs: aServer,
    example: `
const storage = await openStorage("postgres://app@localhost/shop");`,
  },
  "storage.postgres-access": {
    cause:
      "PostgreSQL refused the login, TLS could not be set up as target and server demand, or the role lacks a right.",
    remedy:
      "Correct user, password and `sslmode` in the target. If a right is missing, let the owner of the schema run the statements that `partita postgres init <target> --grant-to <role>` prints.",
    needs: aServer,
    example: `
const storage = await openStorage("postgres://app:secret@db.example/shop?sslmode=verify-full");`,
  },
  "storage.postgres-database": {
    cause: "The database that the target names after its last slash does not exist on this server.",
    remedy: "Create the database with `createdb`, or correct its name in the target.",
    needs: aServer,
    example: `
const storage = await openStorage("postgres://app@localhost/shop"); // createdb shop`,
  },
  "storage.postgres-encoding": {
    cause: "The database has an encoding other than UTF8, so it cannot store every text.",
    remedy: "Create a database with `createdb --encoding UTF8 --template template0`, and use that.",
    needs: aServer,
    example: `
const storage = await openStorage("postgres://app@localhost/shop"); // createdb -E UTF8 -T template0 shop`,
  },
  "storage.postgres-missing": {
    cause: "You opened a `postgres://` target, and the package for it is not installed.",
    remedy: "Run `npm install @partita/postgres`.",
    needs: "a program without the package",
    example: `
const storage = await openStorage("postgres://app@localhost/shop"); // npm install @partita/postgres`,
  },
  "storage.postgres-schema": {
    cause: "The database has no schema of Partita under this name, or another release made it.",
    remedy:
      "Create or upgrade it with `partita postgres init <target>`, or with `initPostgres()`. If a newer release made it, install that release.",
    needs: aServer,
    example: `
const storage = await openStorage("postgres://app@localhost/shop?schema=orders");`,
  },
  "storage.proxy": {
    cause: "The proxy from `HTTPS_PROXY` or from the option `proxy` is not a valid URL of a proxy.",
    remedy: "Correct the address, such as `http://proxy.example:8080`, or pass `{ proxy: false }` for none.",
    example: `
const service = await openStorage("AccountName=acct;AccountKey=a2V5;EndpointSuffix=core.windows.net", {
  proxy: "socks5://proxy.example:1080",
});
await service.listTables();`,
  },
  "storage.read-only": {
    cause:
      "The file of an embedded storage, or its folder, is read-only: you can read it, but not write to it. Or a PostgreSQL server is a replica.",
    remedy:
      "Choose a folder that you may write to. SQLite also writes a log next to the file. For PostgreSQL, use the address of the primary server.",
    needs: "a read-only folder",
    example: `
const storage = await openStorage("file:./data/blogs.db"); // a folder that this program may write to`,
  },
  "storage.redirect-refused": {
    cause:
      "The server answered with a redirect. Partita never follows redirects, because a signed request belongs to one endpoint.",
    remedy: "Correct the endpoint in the connection string.",
    needs: "a server that redirects",
    example: `
const storage = await openStorage("https://acct.table.core.windows.net", { credential });`,
  },
  "storage.response-too-large": {
    cause: "A response is larger than any response of the service. Partita stopped reading it.",
    remedy: "Check the endpoint, and what is between your program and the service.",
    needs: "a faulty server",
    example: `
try {
  await context.query(Blog).scan().toArray();
} catch (error) {
  if (!(error instanceof StorageError) || error.code !== "storage.response-too-large") throw error;
  console.error("This endpoint is no table service.");
}`,
  },
  "storage.sas": {
    cause:
      "A shared access signature cannot be made from these options, for example because it has no time of expiry.",
    remedy: "Correct the options as the message says.",
    example: `
tableSas({ accountName: "acct", accountKey: "a2V5" }, { table: "Blogs", permissions: "r" } as never);`,
  },
  "storage.timeout": {
    cause:
      'No complete response arrived in time. A write may have been applied: `error.applied` is `"maybe"` then.',
    remedy:
      "Partita retries such requests by default. For slow networks, pass longer `timeouts`, or `timeoutMs` for PostgreSQL. If a save reports the change as unknown, call `resolveInDoubt()` or save again.",
    example: `${failing("timeout-before")}
${newBlog}`,
  },
  "storage.transport": {
    cause: 'You opened a storage with `transport: "undici"`, and undici 7 or later is not installed.',
    remedy: "Run `npm install undici`, or leave the option out.",
    needs: "a program without undici",
    example: `
const storage = await openStorage("UseDevelopmentStorage=true"); // uses node:http`,
  },
  "storage.truncated": {
    cause: "A response broke off before its end. A write may have been applied.",
    remedy:
      "Partita retries such requests by default. If a save reports the change as unknown, call `resolveInDoubt()` or save again.",
    example: `${failing("truncated-after")}
const found = await unlucky.find(Blog, key);
if (found !== undefined) unlucky.remove(found);
await unlucky.saveChanges({ removeMissing: "error" });`,
  },
  "storage.unknown-target": {
    cause:
      "`openStorage()` or a similar call got a target that it does not know. Often an environment variable is not set.",
    remedy:
      'Use `"file:path.db"`, `"memory:"`, `"postgres://user@host/database"`, a connection string, or the URL of an endpoint.',
    example: `
await openStorage(process.env["NO_SUCH_VARIABLE"] as string);`,
  },
  "storage.unreachable": {
    cause:
      "No connection to the service could be made: nothing listens at the port, the host name is unknown, or its certificate is not trusted.",
    remedy:
      "For an emulator, start it: `npx azurite-table`. Otherwise check the endpoint, the network and the proxy.",
    example: `${failing("refused")}
${newBlog}`,
  },

  // What the service itself refuses; Partita's own storages do, too.
  "storage.commands-in-batch-act-on-different-partitions": {
    cause:
      "A transaction has operations of several partitions. This happens only if you call the storage yourself.",
    remedy: "Send one transaction for each PartitionKey. `saveChanges()` does this for you.",
    example: `
await storage.transact("Blogs", [
  { type: "insert", entity: { PartitionKey: "a", RowKey: "1" } },
  { type: "insert", entity: { PartitionKey: "b", RowKey: "1" } },
]);`,
  },
  "storage.entity-already-exists": {
    cause:
      "A row with this key is already stored. A save reports it as `conflict.exists` or `conflict.unique`.",
    remedy: "Choose another key, or read and change the stored row.",
    example: `
await storage.write("Blogs", { type: "insert", entity: ${row} });
await storage.write("Blogs", { type: "insert", entity: ${row} });`,
  },
  "storage.entity-too-large": {
    cause: "A row is larger than 1 MiB.",
    remedy: "Split the data over several rows, or store large values in a blob or with `@partita/files`.",
    example: `
const parts = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [\`part\${i}\`, "a".repeat(30_000)]));
await storage.write("Blogs", { type: "insert", entity: { ...${row}, ...parts } });`,
  },
  "storage.invalid-duplicate-row": {
    cause: "A transaction contains one row twice.",
    remedy: "Combine the operations. `saveChanges()` sends one operation for each entity.",
    example: `
await storage.transact("Blogs", [
  { type: "upsert-merge", entity: ${row} },
  { type: "upsert-merge", entity: ${row} },
]);`,
  },
  "storage.invalid-input": {
    cause:
      "The service cannot read a request: a filter, a value, an ETag or a continuation token is malformed.",
    remedy: "Check the filter or the token. If all values come from Partita, please report it as a bug.",
    example: `
await storage.query("Blogs", { filter: "rating ge" });`,
  },
  "storage.invalid-resource-name": {
    cause: "The name of a table is not valid: 3 to 63 letters and digits, starting with a letter.",
    remedy: "Choose another name, without hyphens, underscores or dots.",
    example: `
await storage.createTable("my-blogs");`,
  },
  "storage.invalid-value-type": {
    cause: "A value is not of the EDM type that it is sent with.",
    remedy:
      "Correct the value or its type annotation. Entities of a declared class always have fitting types.",
    needs: "a service that checks it: Partita checks values before it sends them",
    example: `
const entity = { PartitionKey: "news", RowKey: "1", views: "12", "views@odata.type": "Edm.Int64" };
await storage.write("Blogs", { type: "insert", entity });`,
  },
  "storage.operation-timed-out": {
    cause:
      "The service did not finish in time, and a write may have been applied. Page ranges of large blobs can also take too long.",
    remedy: "Partita retries by default. For page ranges, read less at a time with `segmentBytes`.",
    example: `${failing("operation-timed-out-before")}
${newBlog}`,
  },
  "storage.out-of-range-input": {
    cause: "A value is outside the range of its type, or a key has a forbidden character.",
    remedy:
      "Correct the value. For entities, Partita finds it before it sends: `edm.out-of-range`, `key.forbidden-character`.",
    example: `
await storage.write("Blogs", { type: "insert", entity: { PartitionKey: "news/sport", RowKey: "1" } });`,
  },
  "storage.properties-need-value": {
    cause: "A row has no PartitionKey or RowKey, or one that is not a text.",
    remedy: "Give both keys as text.",
    example: `
await storage.write("Blogs", { type: "insert", entity: { PartitionKey: "news" } as never });`,
  },
  "storage.property-name-invalid": {
    cause:
      "A property name is no identifier. Names have letters, digits and underscores, and don't start with a digit.",
    remedy: "Choose another stored name.",
    example: `
await storage.write("Blogs", { type: "insert", entity: { ...${row}, "page-title": "Hello" } });`,
  },
  "storage.property-name-too-long": {
    cause: "A property name is longer than 255 characters.",
    remedy: "Choose a shorter stored name.",
    example: `
await storage.write("Blogs", { type: "insert", entity: { ...${row}, ["a".repeat(300)]: 1 } });`,
  },
  "storage.property-value-too-large": {
    cause: "A value is larger than 64 KiB, or a key is longer than 512 characters.",
    remedy: "Shorten the value, or split it over several properties.",
    example: `
await storage.write("Blogs", { type: "insert", entity: { ...${row}, title: "a".repeat(40_000) } });`,
  },
  "storage.request-body-too-large": {
    cause: "A transaction is larger than 4 MiB.",
    remedy: "Send fewer operations in one transaction. `saveChanges()` splits them for you.",
    example: `
const large = (no: number) => ({
  PartitionKey: "news",
  RowKey: String(no),
  ...Object.fromEntries(Array.from({ length: 15 }, (_, i) => [\`part\${i}\`, "a".repeat(30_000)])),
});
await storage.transact(
  "Blogs",
  [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((no) => ({ type: "insert", entity: large(no) })),
);`,
  },
  "storage.resource-not-found": {
    cause: "The row or the table does not exist. A save reports a missing row as `conflict.missing`.",
    remedy: "Check the key. To write a row whether it exists or not, use `upsert()`.",
    example: `
await storage.write("Blogs", { type: "merge", etag: "*", entity: ${row} });`,
  },
  "storage.server-busy": {
    cause:
      "The service is overloaded and refused the request, or another process holds the lock of an embedded file. Or PostgreSQL has no free connection.",
    remedy:
      "Partita retries and slows down by default. If it stays busy, spread the load over more partitions, or close the other process. For PostgreSQL, see the limit that the message names.",
    example: `${failing("busy-before")}
${newBlog}`,
  },
  "storage.table-already-exists": {
    cause: "A table with this name exists. Names of tables ignore upper and lower case.",
    remedy: "Call `createTables()`, which accepts existing tables.",
    example: `
await storage.createTable("blogs");`,
  },
  "storage.table-not-found": {
    cause:
      "The table does not exist. Often `createTables()` was not called, or the connection string names another account.",
    remedy: "Call `createTables(storage, [Blog])` when your program starts.",
    example: `
@Table("Pages")
class Page {
  @PartitionKey() site!: Key<string>;
  @RowKey() name!: Key<string>;
}

await context.query(Page).where({ site: "s" }).toArray();`,
  },
  "storage.too-many-properties": {
    cause: "A row has more than 252 properties.",
    remedy: "Combine properties that you don't query into one JSON value.",
    example: `
const properties = Object.fromEntries(Array.from({ length: 253 }, (_, i) => [\`property\${i}\`, i]));
await storage.write("Blogs", { type: "insert", entity: { ...${row}, ...properties } });`,
  },
  "storage.update-condition-not-satisfied": {
    cause: "The ETag of the row changed: another writer was first. A save reports it as `conflict.etag`.",
    remedy: "Read the row again, apply your change, and write it with the new ETag. `modify()` does this.",
    example: `
await storage.write("Blogs", { type: "insert", entity: ${row} });
await storage.write("Blogs", { type: "merge", etag: "W/\\"old\\"", entity: ${row} });`,
  },
};
