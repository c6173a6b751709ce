import type { AreaPages } from "../error-page.ts";

const threads = `
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

await createTables(storage, [Thread, Reply]);`;

const pagesByTitle = (options = ""): string => `
@Table("Pages")
@Index("byTitle", { rowKey: { title: constant("TITLE:", verbatim) }${options} })
class Page {
  @PartitionKey() site!: Key<string>;
  @RowKey() name!: Key<string>;
  @Text() title!: string;
}

await createTables(storage, [Page]);`;

export const queries: AreaPages = {
  "index.not-built": {
    cause:
      "A query asks for an index whose rows are not complete: it was declared after rows were stored, and no job has built it yet.",
    remedy:
      "Build the index once with `buildIndex(storage, [Class], name)` or the command `partita index build`. Until then, query without `via()`.",
    example: `
@Table("Pages")
class OldPage {
  @PartitionKey() site!: Key<string>;
  @RowKey() name!: Key<string>;
  @Text() title!: string;
}

await createTables(storage, [OldPage]);
context.create(OldPage, { site: "s", name: "n", title: "T" }); // stored before the index is declared
await context.saveChanges();
${pagesByTitle()}
await context.query(Page).where({ site: "s" }).via("byTitle").toArray();`,
  },
  "query.change": {
    cause: "`updateAll()` got something other than a function, such as an object with new values.",
    remedy: "Pass a function that changes the entity: `updateAll((blog) => { blog.rating = 0; })`.",
    example: `
await context.query(Blog).where({ channel: "news" }).updateAll({ rating: 0 } as never);`,
  },
  "query.condition-operator": {
    cause:
      "A callback of `where()` uses a JavaScript operator such as `===`, `>`, `!` or `&&` on a column. The operator runs at once in JavaScript and would not become part of the query.",
    remedy:
      "Use the methods of columns: `eq`, `ne`, `gt`, `ge`, `lt`, `le`, and `.and()`, `.or()`, `.not()`. The lint rule `@partita/no-condition-operators` finds such places.",
    example: `
context.query(Blog).where((b) => (b.rating as never as number) > 3);`,
  },
  "query.filter-in-memory": {
    cause:
      "`filterInMemory()` got something other than a function, or its function returned a promise. A promise counts as true, so every entity would pass.",
    remedy:
      "Pass a function that returns true or false. To await something for each entity, filter the result of `toArray()`.",
    example: `
await context
  .query(Blog)
  .where({ channel: "news" })
  .filterInMemory((async () => false) as never)
  .toArray();`,
  },
  "query.filter-of-part": {
    cause: "The function of `filterInMemory()` reads a property that `select()` leaves out.",
    remedy: "Select this property as well, or remove `select()`.",
    example: `
await context
  .query(Blog)
  .where({ channel: "news" })
  .select("title")
  .filterInMemory((found) => (found as Blog).rating > 3)
  .toArray();`,
  },
  "query.filter-syntax": {
    cause: "A filter in OData syntax cannot be read. The message names the position.",
    remedy:
      "Correct the filter: comparisons such as `Rating ge 3`, joined by `and`, `or`, `not` and parentheses.",
    example: `
await context.query(Blog).where({ channel: "news" }).filter(odata\`rating >= \${3}\`).toArray(); // rating ge 3`,
  },
  "query.foreign-predicate": {
    cause: "A condition was built with the columns of another `where()` callback.",
    remedy: "Build each condition from the parameter of its own callback.",
    example: `
let saved: Predicate | undefined;
context.query(Blog).where((b) => (saved = b.rating.gt(3)));
context.query(Blog).where(() => saved as never);`,
  },
  "query.foreign-token": {
    cause:
      "A page token belongs to another query, or was changed. The conditions, their order, their values and `take()` must be the same.",
    remedy:
      "Use a token only with the query that gave it. If the user changes the filter, start with the first page again.",
    example: `
context.create(Blog, { channel: "news", slug: "second", title: "Second" });
await context.saveChanges();
const { next } = await context.query(Blog).where({ channel: "news" }).page({ size: 1 });
await context.query(Blog).where({ channel: "sport" }).page({ size: 1, after: next });`,
  },
  "query.former-keys": {
    cause:
      "While a class has `formerKeys`, its rows have keys of two forms. The message names a feature that does not work with both, such as `reverse()`.",
    remedy: "Finish the move with `moveRows()` and remove `formerKeys`, or query without this feature.",
    example: `
@Table("OldPages")
class OldPage {
  @PartitionKey() site!: Key<string>;
  @RowKey() name!: Key<string>;
}
@Table("Pages", { formerKeys: OldPage })
class Page {
  @PartitionKey() site!: Key<string>;
  @RowKey() name!: Key<string>;
}

await createTables(storage, [OldPage, Page]);
await context.query(Page).where({ site: "s" }).reverse().take(5).toArray();`,
  },
  "query.in-needs-list": {
    cause: "`in()` got something other than an array.",
    remedy: 'Pass an array: `b.slug.in(["a", "b"])`.',
    example: `
context.query(Blog).where((b) => b.slug.in("hello" as never));`,
  },
  "query.include": {
    cause: "A query uses `include()` together with something that does not work for parents with children.",
    remedy: "Ask for parents and children as entities of one query: `query([Thread, Reply])`.",
    example: `${threads}
await context
  .query(Thread)
  .where({ forum: "f" })
  .include((thread) => thread.replies)
  .via("primary")
  .toArray();`,
  },
  "query.malformed-text": {
    cause:
      "A condition compares a property with text that has half of a surrogate pair. Storage cannot hold such text.",
    remedy: "Correct the text with `text.toWellFormed()`, or check the user's input.",
    example: `
context.query(Blog).where((b) => b.title.eq("\\ud83d"));`,
  },
  "query.none-found": {
    cause: "`single()` found no entity.",
    remedy: "Use `first()` if there may be none: it returns undefined.",
    example: `
await context.query(Blog).where({ channel: "news", slug: "missing" }).single();`,
  },
  "query.not-a-filter": {
    cause: "`filter()` got something other than an `odata` template.",
    remedy: "Write `` filter(odata`Rating ge ${3}`) ``. For declared properties, use `where()`.",
    example: `
context.query(Blog).filter("rating ge 3" as never);`,
  },
  "query.not-a-predicate": {
    cause:
      "A callback of `where()` returned something other than a condition: a column alone, true or false, nothing, or a promise. Or `where()` got several arguments, and would ignore all but the first.",
    remedy:
      "Return a comparison, such as `b.rating.eq(3)`. A JavaScript comparison with `===` returns only true or false.",
    example: `
context.query(Blog).where((b) => b.title as never); // compare it: b.title.eq("Hello")`,
  },
  "query.not-an-array": {
    cause:
      "A query was used as if it were its result. `await query` alone reads nothing: a query is no promise, so an asynchronous function can return one.",
    remedy:
      "Read the query with `await query.toArray()`, or iterate with `for await`. The lint rule `@partita/used-queries` finds such places.",
    example: `
const blogs = await context.query(Blog).where({ channel: "news" }); // add .toArray()
console.log(JSON.stringify({ blogs }));`,
  },
  "query.not-comparable": {
    cause: "Storage cannot compare this property: it holds JSON, or `startsWith()` does not fit its form.",
    remedy: "Filter with `filterInMemory()`, or store the value that you search by in a property of its own.",
    example: `
@Table("Notes")
class Note {
  @PartitionKey() board!: Key<string>;
  @RowKey() id!: Key<string>;
  @Json() tags!: string[];
}

await createTables(storage, [Note]);
const anyTag = ["urgent"];
await context.query(Note).where((n) => [n.board.eq("b"), (n.tags as never as { eq(v: unknown): never }).eq(anyTag)]).toArray();`,
  },
  "query.not-of-query": {
    cause: "`whereKind()` names a class that the query does not ask for.",
    remedy: "Pass a kind of the query, or add the class: `query([Post, Comment])`.",
    example: `${threads}
context.query(Thread).whereKind(Reply as never, (r: { no: { eq(v: string): never } }) => r.no.eq("1"));`,
  },
  "query.odata-value": {
    cause: "An `odata` template has a value that a filter cannot hold, such as an object.",
    remedy: "Pass a text, a number, a bigint, a boolean, a Date or bytes.",
    example: `
context.query(Blog).filter(odata\`Rating ge \${{} as never}\`);`,
  },
  "query.option": {
    cause: "A method of a query got an option that does not exist, or a value that the option does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
await context.query(Blog).where({ channel: "news" }).page({ sise: 20 } as never);`,
  },
  "query.order-not-promised": {
    cause:
      "Cosmos DB for Table does not guarantee the order of the rows of this query, and the call needs the order of the keys.",
    remedy: "Narrow the query to one partition, or remove the call and sort the result of `toArray()`.",
    needs: "Cosmos DB for Table",
    example: `
const blogs = await context.query(Blog).where((b) => b.channel.in(["news", "sport"])).toArray();
blogs.sort((a, b) => (a.slug < b.slug ? -1 : 1)); // instead of inRowKeyOrder()`,
  },
  "query.order-of-index": {
    cause: "`inRowKeyOrder()` and `via()` ask for two different orders.",
    remedy: "Remove one of them.",
    example: `${pagesByTitle()}
await context.query(Page).where({ site: "s" }).via("byTitle").inRowKeyOrder().toArray();`,
  },
  "query.order-too-many": {
    cause: "`inRowKeyOrder()` would merge more partitions than it can read at the same time.",
    remedy: "Narrow the PartitionKey in `where()`, or remove `inRowKeyOrder()` and sort the result.",
    example: `
const channels = Array.from({ length: 5_000 }, (_, i) => \`channel\${i}\`);
await context
  .query(Blog)
  .where((b) => b.channel.in(channels))
  .inRowKeyOrder()
  .toArray();`,
  },
  "query.order-unbounded": {
    cause: "`inRowKeyOrder()` merges a list of partitions, and this query reads a range of partitions.",
    remedy: "Compare the PartitionKey with `eq` or `in`. For time slices, give both ends of the range.",
    example: `
await context
  .query(Blog)
  .where((b) => b.channel.ge("a"))
  .inRowKeyOrder()
  .toArray();`,
  },
  "query.orphan": {
    cause:
      "`include()` read a child that has no stored parent. The parent was removed without its children, or never stored.",
    remedy:
      "Store the parent or remove the child. To remove a parent with its children, use `removeFamily(parent)`. To ignore orphans, use the option `onOrphan` of `include()`.",
    example: `${threads}
context.create(Reply, { forum: "f", thread: "t", no: "1" }); // no thread is stored
await context.saveChanges();
await context
  .query(Thread)
  .where({ forum: "f" })
  .include((thread) => thread.replies, { onOrphan: "error" })
  .toArray();`,
  },
  "query.owned-list": {
    cause: "`removeAll()` would remove entities and leave the rows of their owned lists in the table.",
    remedy:
      "Query all of these kinds, by their base class or with a list of classes. For single entities, use `removeFamily()`.",
    example: `
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
  @RowKey() no!: Key<string>;
}

await createTables(storage, [Order, Line]);
await context.query(Order).where({ shop: "s" }).removeAll();`,
  },
  "query.predicate-dropped": {
    cause:
      "A callback of `where()` made a condition that its result does not include. With `&&` and `||`, JavaScript keeps only one side.",
    remedy: "Combine conditions with `.and()` and `.or()`, or return them in an array.",
    example: `
context.query(Blog).where((b) => {
  b.rating.gt(3); // not returned
  return b.channel.eq("news");
});`,
  },
  "query.reverse": {
    cause:
      "`reverse()` or `last()` is used together with `include()`, `inRowKeyOrder()` over several partitions, or `via()` over a service.",
    remedy: "Use one of them, and sort the result.",
    example: `${threads}
await context
  .query(Thread)
  .where({ forum: "f" })
  .include((thread) => thread.replies)
  .reverse()
  .take(5)
  .toArray();`,
  },
  "query.reverse-unbounded": {
    cause:
      "The service reads forwards only, so `reverse()` would read every entity of the query and hold all of them.",
    remedy: "Limit the result: add `take(count)`, or call `page({ size })` or `last(count)`.",
    needs: "a table service: the embedded storage reads in both directions",
    example: `
const latest = await context.query(Blog).where({ channel: "news" }).reverse().take(10).toArray();`,
  },
  "query.scan-refused": {
    cause:
      "A query has no condition on the PartitionKey, so it would read the whole table. This can be slow and expensive.",
    remedy: "Compare the PartitionKey in `where()`. To read the whole table on purpose, call `.scan()`.",
    example: `
await context.query(Blog).where((b) => b.rating.ge(4)).toArray();`,
  },
  "query.select": {
    cause: "`select()` got something other than names, such as an array.",
    remedy: 'Pass the names one by one: `select("title", "rating")`. Spread an array: `select(...names)`.',
    example: `
context.query(Blog).select(["title", "rating"] as never);`,
  },
  "query.several-found": {
    cause: "`single()` found more than one entity.",
    remedy: "Compare the complete key, or use `first()` or `toArray()`.",
    example: `
context.create(Blog, { channel: "news", slug: "second", title: "Second" });
await context.saveChanges();
await context.query(Blog).where({ channel: "news" }).single();`,
  },
  "query.sort": {
    cause:
      "`sortBy()` got a property that cannot be sorted, or is used with a method that needs the order of the keys, such as paging.",
    remedy:
      "Sort by a stored property with an order. For pages in another order, declare an index and use `via()`.",
    example: `
await context.query(Blog).where({ channel: "news" }).sortBy("rating").page({ size: 20 });`,
  },
  "query.sort-too-many": {
    cause: "`sortBy()` sorts in memory, and the query found more than 10,000 entities.",
    remedy: "Add `take(count)`, narrow the query, or declare an index in this order.",
    example: `
for (let no = 0; no <= 10_000; no++) context.create(Blog, { channel: "log", slug: String(no), title: "Entry" });
await context.saveChanges();
await context.query(Blog).where({ channel: "log" }).sortBy("title").toArray();`,
  },
  "query.system-property": {
    cause:
      "A query compares or selects a property that receives the ETag or the Timestamp. These values come with every row and are not stored properties.",
    remedy:
      "Leave the property out of `select()`. To query by time, store the time in a property of your own.",
    example: `
@Table("Notes")
class Note {
  @PartitionKey() board!: Key<string>;
  @RowKey() id!: Key<string>;
  @ETag() etag?: string;
}

context.query(Note).select("etag" as never);`,
  },
  "query.take": {
    cause: "`take()` got something other than a whole number of 0 or more.",
    remedy: "Check the number, for example one from a request, before you pass it.",
    example: `
context.query(Blog).take(Number("ten"));`,
  },
  "query.token-repeated": {
    cause:
      "The service returned the same continuation token twice, so reading its pages would never end. This is a fault of the service or of something between it and you.",
    remedy: "Try again. If it happens again, report it to the operator of the service.",
    needs: "a service with this fault",
    example: `
try {
  await context.query(Blog).scan().toArray();
} catch (error) {
  if (!(error instanceof QueryError) || error.code !== "query.token-repeated") throw error;
  console.error("The service is faulty:", error.message);
}`,
  },
  "query.too-deep": {
    cause:
      "A condition combines other conditions in too many levels. This often comes from a loop that calls `.or()` for each value.",
    remedy: "Use `in()` for a list of values, or put alternatives side by side.",
    example: `
context.query(Blog).where((b) => {
  let condition = b.rating.eq(0);
  for (let rating = 1; rating < 10_000; rating++) condition = condition.and(b.rating.ne(rating)).not();
  return condition;
});`,
  },
  "query.undefined-value": {
    cause: "A condition compares a property with undefined, null or NaN, and no row has such a value.",
    remedy: "Check the variable. To find rows without a value, use `b.editedOn.exists().not()`.",
    example: `
const since: Date | undefined = undefined;
context.query(Blog).where((b) => b.editedOn.ge(since as never));`,
  },
  "query.unknown-index": {
    cause: "`via()` or an index job names an index that the class does not declare, or one that is retired.",
    remedy: "Use one of the names in the message.",
    example: `
await context.query(Blog).where({ channel: "news" }).via("byTitle" as never).toArray();`,
  },
  "query.unknown-property": {
    cause: "A query names a property that the class does not store.",
    remedy:
      "Use one of the names in the message. To filter by a property that is not declared, use `` filter(odata`…`) ``.",
    example: `
context.query(Blog).where({ author: "Ann" } as never);`,
  },
  "query.wrong-type": {
    cause: "A condition compares a property with a value of another type, or with one beyond its range.",
    remedy: "Convert the value, such as `Number(text)`, or correct the comparison.",
    example: `
await context.query(Blog).where((b) => [b.channel.eq("news"), b.rating.ge("4" as never)]).toArray();`,
  },
};
