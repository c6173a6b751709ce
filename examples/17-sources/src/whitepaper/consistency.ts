import { TableContext } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { startWorker, workflowStatus } from "@partita/workflows";
import { type Chapter, codeOf, holds, inPart, type Place } from "../item.ts";
import { deleteChannel } from "./delete-channel.ts";
import { Blog, Channel, october, post } from "./model.ts";

/** Deletes a channel by its workflow, and returns what is left. */
async function deleted(
  place: Place,
  attempts: number,
): Promise<[blogs: number, channels: number, messages: number]> {
  const { storage, context, name } = place;
  context.create(Channel, { name });
  await context.saveChanges();
  await post(storage, name, 3);
  const queues = tableQueues(storage, { table: `${name}Queues` });
  for (let i = 0; i < attempts; i++) await deleteChannel.start(queues, { channel: name }, { id: name });
  await using worker = startWorker({ storage, queues, workflows: [deleteChannel] });
  await worker.idle();
  const blogs = await new TableContext(storage).query(Blog).where({ channel: name }).count();
  const channels = await new TableContext(storage).query(Channel).where({ name }).count();
  return [blogs, channels, await queues.approximateCount(deleteChannel.queue)];
}

export const consistency: Chapter = {
  title: "7 Consistency",
  items: [
    holds("7.1 A change of one entity is atomic", ["a", 1], async ({ storage, context, name }) => {
      const blog = context.create(Blog, { channel: name, postedOn: october(1), text: "a", rating: 1 });
      await context.saveChanges();
      [blog.text, blog.rating] = ["b", 2];
      const [before] = await new TableContext(storage).query(Blog).where({ channel: name }).toArray();
      await context.saveChanges();
      return [before?.text, before?.rating];
    }),
    inPart(
      "7.1 A query sees one state of a partition",
      "One response does. Pages are read one after another, and changes between them are seen",
      [2, 3],
      async ({ storage, context, name }) => {
        await post(storage, name, 2);
        const first = await context.query(Blog).where({ channel: name }).toArray();
        await using other = new TableContext(storage);
        other.create(Blog, { channel: name, postedOn: october(9), text: "" });
        await other.saveChanges();
        return [first.length, await context.query(Blog).where({ channel: name }).count()];
      },
    ),
    holds("7.1 A program sees its own committed writes", "new", async ({ storage, context, name }) => {
      context.create(Blog, { channel: name, postedOn: october(1), text: "new" });
      await context.saveChanges();
      return (await new TableContext(storage).query(Blog).where({ channel: name }).single()).text;
    }),
    holds("7.2 Changes of two tables are not atomic", "save.not-atomic", ({ context, name }) => {
      context.create(Channel, { name });
      context.create(Blog, { channel: name, postedOn: october(1), text: "" });
      return codeOf(() => context.saveChanges({ batch: "atomic" }));
    }),
    holds("7.2 A queued workflow deletes a channel and its blogs", [0, 0, 0], (place) => deleted(place, 1)),
    holds("7.2 A message that comes twice changes nothing more", [0, 0, 0], (place) => deleted(place, 2)),
    holds(
      "7.2 The steps are recorded, so a killed worker's work continues",
      ["mark", "blogs", "channel"],
      async (place) => {
        await deleted(place, 1);
        const status = await workflowStatus(place.storage, deleteChannel, place.name);
        return status?.steps.map(({ name }) => name) ?? [];
      },
    ),
  ],
};
