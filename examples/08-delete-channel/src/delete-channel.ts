import { bool, defineEntity, text } from "@partita/core";
import { constant, padded } from "@partita/core/keys";
import { defineWorkflow } from "@partita/workflows";

export class Channel extends defineEntity({
  table: "Channels",
  partitionKey: { name: text() },
  rowKey: { row: constant("channel") },
  properties: { isValid: bool() },
}) {}

export class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: padded(6) },
  properties: { text: text() },
}) {}

/**
 * The steps of the whitepaper "Windows Azure Table": mark the channel, delete its posts, then the channel
 * itself.
 */
export const deleteChannel = defineWorkflow(
  "DeleteChannelAndBlogs",
  async (step, { channel }: { channel: string }) => {
    // Programs don't read from a channel that is not valid.
    await step.run("mark", async (context) => {
      await context.modify(Channel, { name: channel }, (found) => void (found.isValid = false));
    });
    await step.run("blogs", (context) => context.query(Blog).where({ channel }).removeAll());
    // A front end that read the channel as valid may still add a post.
    await step.sleep("late posts", 500);
    await step.run("late", (context) => context.query(Blog).where({ channel }).removeAll());
    await step.run("channel", async (context) => {
      context.removeByKey(Channel, { name: channel }, "*");
      await context.saveChanges({ removeMissing: "ignore" });
    });
  },
);
