/**
 * Words that readers type, and the section that answers them first: a page, and a heading of it after `#`. Words that the
 * titles already have need no line here, unless another page comes before.
 */
export const aliases: Readonly<Record<string, string>> = {
  tutorial: "getting started begin install quickstart hello first steps",
  keys: "key partitionkey rowkey primary id composite format",
  "keys#hot-partitions-append-only-keys": "hot partition throttling append-only",
  queries: "query where filter find select read list odata",
  "queries#query-plans-and-table-scans": "scan explain plan slow",
  "queries#paging-and-pagination":
    "page pages paging pagination paginate cursor continuation token skip offset limit",
  "queries#count-and-exists": "count exists",
  tracking: "track tracking identity map state unit of work detach attach",
  saving: "save savechanges persist write flush",
  "saving#create-and-upsert": "create insert add new upsert",
  "saving#update": "update change modify edit patch merge replace",
  "saving#delete-and-remove": "delete remove destroy",
  "saving#transactions-and-batches":
    "transaction transactions batch batches atomic commit rollback entity group",
  "saving#outcomes-and-errors": "outcome saveerror",
  conflicts: "conflict conflicts concurrency optimistic lock locking etag etags version 409 412",
  connect:
    "connect connection string credential credentials authenticate authentication managed identity login account",
  "protocol-options": "proxy proxies keep-alive undici",
  retries: "retry retries retrying backoff timeout timeouts throttle 429 503",
  "lost-responses": "lost response unknown idempotent idempotency",
  "validation-and-hooks": "validate validation hook hooks zod schema class-validator",
  "decorators-and-forms": "decorator decorators experimentaldecorators swc",
  "kinds-and-versions":
    "kind kinds inheritance discriminator polymorphic single table children parent relation",
  "kinds-and-versions#versions": "migrate migration migrations upgrade version versions schema",
  indexes: "index indexes secondary",
  "indexes#unique-values": "unique uniqueness duplicate constraint",
  "recipes/sort-entities": "sort sorting order orderby descending ascending latest",
  "recipes/rows-that-expire": "ttl expire expires expiry expiration",
  "recipes/many-to-many-tags": "many-to-many tags relation join",
  "recipes/create-many-entities": "bulk insert import",
  "recipes/search-text-by-prefix": "search prefix like startswith full-text",
  "moving-data": "copy export import csv json",
  "moving-data#backups": "backup backups restore dump",
  toolchains: "typescript tsconfig compiler bundler esm commonjs",
  "toolchains#circular-imports-between-parent-and-child": "circular cycle cyclic import",
  testing: "test tests mock emulator azurite memory",
  tenants: "tenant tenants multi-tenant",
  aggregates: "owned list embedded collection",
  "errors/index": "error errors exception exceptions code codes",
};
