/** The declarations that the examples of all error pages use; executed before each example. */
export const setting = `@Table("Blogs")
class Blog {
  @PartitionKey() channel!: Key<string>;
  @RowKey() slug!: Key<string>;
  @Text() title!: string;
  @Int32() rating = 0;
  @DateTime({ optional: true }) editedOn?: Date;
}

const storage = await openStorage("memory:");
await createTables(storage, [Blog]);
const context = new TableContext(storage);

const key = { channel: "news", slug: "hello" };
const blog = context.create(Blog, { ...key, title: "Hello" });
await context.saveChanges();
`;
