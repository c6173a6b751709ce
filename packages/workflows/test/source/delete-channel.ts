// The example of the whitepaper "Windows Azure Table": a channel and its posts are in two tables, and go together.
import { bool, createTables, defineEntity, TableContext, type TableStorage, text } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { constant, padded } from "@partita/core/keys";
import { defineWorkflow, type Workflow } from "../../src/index.ts";

class Channel extends defineEntity({
  table: "Channels",
  partitionKey: { name: text() },
  rowKey: { row: constant("channel") },
  properties: { isValid: bool() },
}) {}

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: padded(5) },
  properties: { body: text() },
}) {}

/** Its queue. */
export const queue = "delete-channel-and-blogs";

/** @param sleepMs - how long posts may be late */
export const deleteChannelAndBlogs = (sleepMs: number): Workflow<{ channel: string }> =>
  defineWorkflow("DeleteChannelAndBlogs", async (step, { channel }) => {
    await step.run("mark", async (context) => {
      await context.modify(Channel, { name: channel }, (found) => void (found.isValid = false));
    });
    await step.run("blogs", (context) => context.query(Blog).where({ channel }).removeAll());
    await step.sleep("late posts", sleepMs);
    await step.run("late", (context) => context.query(Blog).where({ channel }).removeAll());
    await step.run("channel", async (context) => {
      context.removeByKey(Channel, { name: channel }, "*");
      await context.saveChanges({ removeMissing: "ignore" });
    });
  });

/** A channel to delete, with more posts than one transaction takes, and one to leave alone. */
export async function fill(storage: TableStorage, posts: number): Promise<void> {
  await createTables(storage, [Channel, Blog]);
  await using context = new TableContext(storage);
  for (const [name, count] of [
    ["Football", posts],
    ["Chess", 3],
  ] as const) {
    context.create(Channel, { name, isValid: true });
    for (let id = 1; id <= count; id++) context.create(Blog, { channel: name, id, body: `Post ${id}` });
  }
  await context.saveChanges();
}

/** Every row of both tables. */
export async function rowsOf(storage: TableStorage): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  for (const table of ["Channels", "Blogs"]) {
    let after: Awaited<ReturnType<TableStorage["query"]>>["next"];
    do {
      const page = await storage.query(table, after === undefined ? {} : { after });
      rows.push(...page.entities);
      after = page.next;
    } while (after !== undefined);
  }
  return rows;
}

/** Whether a row is of the channel that is not deleted. */
export const isOfChess = ({ PartitionKey }: StoredEntity): boolean => PartitionKey === "Chess";
