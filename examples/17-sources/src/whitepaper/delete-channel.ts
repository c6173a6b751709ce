import { defineWorkflow } from "@partita/workflows";
import { Blog, Channel } from "./model.ts";

/** The workflow of section 7.2. The source has it read a queue, and marks the channel first. */
export const deleteChannel = defineWorkflow(
  "DeleteChannelAndBlogs",
  async (step, { channel }: { channel: string }) => {
    await step.run("mark", async (context) => {
      await context.modify(Channel, { name: channel }, (each) => void (each.isValid = false));
    });
    await step.run("blogs", async (context) => {
      await context.query(Blog).where({ channel }).removeAll();
    });
    await step.run("channel", async (context) => {
      context.removeByKey(Channel, { name: channel }, "*");
      await context.saveChanges({ removeMissing: "ignore" });
    });
  },
);
