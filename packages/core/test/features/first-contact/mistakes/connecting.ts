import { great, type Mistake, ok, works } from "../mistake.ts";

/** Mistakes on the way to an open storage with tables. */
export const connecting: readonly Mistake[] = [
  great(
    "openStorage() is not awaited",
    `new TableContext(openStorage("memory:"));`,
    "context.storage",
    /await openStorage/,
  ),
  great(
    "the environment variable of the connection string is not set",
    `await openStorage(process.env.NO_SUCH_VARIABLE);`,
    "storage.unknown-target",
    /undefined.*environment variable.*not set/,
  ),
  great(
    "the path of a file has no file:",
    `await openStorage("blogs.db");`,
    "storage.unknown-target",
    /"file:path\.db"/,
  ),
  great(
    "the connection string has no key",
    `await openStorage("AccountName=shop;EndpointSuffix=core.windows.net");`,
    "storage.connection-string",
    /AccountKey has no value/,
  ),
  great(
    "the key is the placeholder of a guide",
    `await openStorage("AccountName=shop;AccountKey=<your key>");`,
    "storage.connection-string",
    /AccountKey is not base64: copy the complete key/,
  ),
  great(
    "the connection string is that of Cosmos DB for NoSQL",
    `await openStorage("AccountEndpoint=https://shop.documents.azure.com:443/;AccountKey=c2VjcmV0;");`,
    "storage.connection-string",
    /Cosmos DB for NoSQL.*API for Table/,
  ),
  great(
    "the quotes of .env are part of the string",
    `await openStorage('"AccountName=shop;AccountKey=c2VjcmV0"');`,
    "storage.unknown-target",
    /quotation mark/,
  ),
  great(
    "the URL of an account has no credential",
    `await openStorage("https://shop.table.core.windows.net");`,
    "storage.connection-string",
    /URL alone has no credential: pass the option credential/,
  ),
  great(
    "the URL is that of blobs",
    `await openStorage("https://shop.blob.core.windows.net", { credential: { getToken: async () => null } });`,
    "storage.connection-string",
    /another service.*https:\/\/account\.table/,
  ),
  great(
    "the target is another database",
    `await openStorage("mongodb://localhost/shop");`,
    "storage.unknown-target",
    /not known\. Use "file:/,
  ),
  great(
    "a context gets the target instead of a storage",
    `new TableContext("memory:");`,
    "context.storage",
    /takes an open storage: await openStorage/,
  ),
  ok("a context is made without new", `TableContext(storage);`, /without 'new'/),
  great(
    "work() gets a context instead of the storage",
    `await work(context, async (own) => { own.create(Blog, values); });`,
    "context.storage",
    /takes an open storage/,
  ),
  great(
    "a second memory: is expected to have the rows of the first",
    `const other = await openStorage("memory:");
await new TableContext(other).find(Blog, key);`,
    "storage.table-not-found",
    /createTables\(storage, \[YourClass\]\), or check that the storage target is the one you mean/,
  ),
  great(
    "the folder of the file does not exist",
    `await openStorage("file:no-such-folder/blogs.db");`,
    "storage.cannot-open",
    /no-such-folder\/blogs\.db.*folder exists/,
  ),
  great(
    "the storage is used after it was closed",
    `await storage.close();
await context.query(Blog).where({ channel: "tech" }).toArray();`,
    "storage.closed",
    /Await every save and query before close\(\)/,
  ),
  works("the storage is closed twice", `await storage.close();\nawait storage.close();`),
  great(
    "createTables() is forgotten",
    `class Other extends defineEntity({ table: "Others", partitionKey: { a: text() }, rowKey: { b: text() }, properties: {} }) {}
context.create(Other, { a: "1", b: "2" });
await context.saveChanges();`,
    "save.failed",
    /createTables\(storage, \[YourClass\]\).*\(Others\)/,
  ),
  great(
    "createTables() gets one class instead of a list",
    `await createTables(storage, Blog);`,
    "model.no-class",
    /got the class Blog.*\[Blog, Comment\]/,
  ),
  great(
    "createTables() gets the context",
    `await createTables(context, [Blog]);`,
    "context.storage",
    /takes an open storage/,
  ),
];
