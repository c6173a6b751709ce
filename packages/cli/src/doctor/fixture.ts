/** A program with decorated classes and common features. It prints the resulting model. */
export const decoratedFixture = `
import { openStorage, TableContext, createTables } from "@partita/core";
import { modelOf } from "@partita/core/models";
import { DateTime, Int32, Kind, PartitionKey, RowKey, Table, Text, newestFirst } from "@partita/decorators";

@Table("DoctorPosts")
abstract class Post {
  @PartitionKey() channel!: string;
  @RowKey(newestFirst) postedOn!: Date;
  @Int32() rating = 0;
}

@Kind("Article")
class Article extends Post {
  @Text() text!: string;
  @DateTime({ optional: true }) editedOn: Date | undefined = undefined;
}

async function main(): Promise<void> {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Post, Article]);
  await using context = new TableContext(storage);
  context.create(Article, { channel: "c", postedOn: new Date(0), text: "t" });
  await context.saveChanges();
  const [found] = await new TableContext(storage).query(Article).where({ channel: "c" }).toArray();
  const model = modelOf(Article);
  const names = [...model.keyProperties, ...model.properties].map((property) => property.name);
  console.log(JSON.stringify({ names, text: found?.text, rating: found?.rating }));
}

void main();
`;

/** The same program without decorators, and without `await using`, which needs a newer compiler. */
export const plainFixture = `
import { createTables, dateTime, defineEntity, int32, openStorage, TableContext, text } from "@partita/core";
import { newestFirst } from "@partita/core/keys";
import { modelOf } from "@partita/core/models";

class Article extends defineEntity({
  table: "DoctorPosts",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { rating: int32().default(0), text: text(), editedOn: dateTime().optional() },
}) {}

async function main(): Promise<void> {
  const storage = await openStorage("memory:");
  try {
    await createTables(storage, [Article]);
    const context = new TableContext(storage);
    context.create(Article, { channel: "c", postedOn: new Date(0), text: "t" });
    await context.saveChanges();
    const [found] = await new TableContext(storage).query(Article).where({ channel: "c" }).toArray();
    const model = modelOf(Article);
    const names = [...model.keyProperties, ...model.properties].map((property) => property.name);
    console.log(JSON.stringify({ names, text: found?.text, rating: found?.rating }));
  } finally {
    await storage.close();
  }
}

void main();
`;

/** The expected output of both programs. */
export const expectedOutput: string = JSON.stringify({
  names: ["channel", "postedOn", "rating", "text", "editedOn"],
  text: "t",
  rating: 0,
});
