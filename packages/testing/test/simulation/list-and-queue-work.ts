import { defineEntity, int32, json, type TableContext, text } from "@partita/core";
import { constant, verbatim } from "@partita/core/keys";
import { type QueueStorage, tableQueues } from "@partita/queues";
import { type ActorTools, appends, type NamedCheck, outcomes, takenOnce } from "../../src/index.ts";
import type { Proof, Workload } from "./workload.ts";

const group = "g";
const mergeOptions = ["appendOnly", "preserveChanges", "overwriteChanges"] as const;

/** Lists of one partition, which transactions read and append to, several at once. */
export const listAppends = (proof: Proof): Workload =>
  appending(proof, { name: "list appends", livesLong: false });

/** The same by contexts that live long, over whatever earlier queries left in them. */
export const longAppends = (proof: Proof): Workload =>
  appending(proof, { name: "list appends of long-lived contexts", livesLong: true });

function appending(
  proof: Proof,
  { name: ofWorkload, livesLong }: { readonly name: string; readonly livesLong: boolean },
): Workload {
  class List extends defineEntity({
    table: "Lists",
    partitionKey: { group: text() },
    rowKey: { name: text() },
    properties: { values: json<string[]>(), note: text().optional() },
    ...proof,
  }) {}
  type Lists = readonly InstanceType<typeof List>[];
  const lives = new Map<string, TableContext>();
  const readAll = (context: TableContext): Promise<Lists> => context.query(List).where({ group }).toArray();

  /** The rows, as a query with some of its options gives them to a context that may know them already. */
  async function readAnyhow({ random }: ActorTools, context: TableContext): Promise<Lists> {
    const all = context.query(List).where({ group }).mergeOption(random.oneOf(mergeOptions));
    const found = await (random.below(3) === 0 ? all.select("note") : all).toArray();
    const complete = await context.findMany(
      List,
      found.map(({ name }) => ({ group, name })),
    );
    // The rest of a row that was read in part cannot be read once another version is stored.
    return complete.filter((row) => row !== undefined && Array.isArray(row.values)) as Lists;
  }

  /** What earlier steps left is given up. */
  async function giveUp(context: TableContext): Promise<void> {
    await context.resolveInDoubt({ wait: true });
    for (const { entity } of context.pendingChanges()) context.discard(entity);
  }

  return {
    name: ofWorkload,
    scenario: {
      classes: [List],
      setup(context) {
        lives.clear();
        for (const name of ["a", "b", "c"]) context.add(new List({ group, name, values: [] }));
      },
      actors: {
        async editor(tools) {
          const { observe, random, number, step, name: own } = tools;
          const context = (livesLong ? lives.get(own) : undefined) ?? tools.context;
          lives.set(own, context);
          if (livesLong) await giveUp(context);
          await observe.lists(group).transact(async ({ append, read }) => {
            const rows = livesLong ? await readAnyhow(tools, context) : await readAll(context);
            const skipped = random.below(2 * rows.length);
            // What is read counts only where it is written as well: that version is the condition.
            for (const row of rows.filter((_, i) => i !== skipped)) {
              read(row.name, row.values);
              row.values = [...row.values, `${number}.${step}`];
              append(row.name, `${number}.${step}`);
            }
            await context.saveChanges({
              batch: "atomic",
              update: random.oneOf(["merge", "replace"] as const),
            });
          });
        },
        reader: ({ context, observe }) =>
          observe.lists(group).transact(async ({ read }) => {
            for (const { name, values } of await readAll(context)) read(name, values);
          }),
      },
    },
    checks: [
      outcomes(),
      appends({
        stored: async ({ openContext }) => ({
          [group]: Object.fromEntries(
            (await readAll(openContext())).map(({ name, values }) => [name, values]),
          ),
        }),
      }),
    ],
  };
}

/** Rows of an index are those of its entities, whatever fails. */
export function indexedRows(proof: Proof): Workload {
  class Member extends defineEntity({
    table: "Members",
    partitionKey: { group: text() },
    rowKey: { id: text() },
    properties: { mail: text().optional(), visits: int32().default(0) },
    indexes: { mail: { rowKey: { mail: constant("MAIL:", verbatim) }, unique: true } },
    ...proof,
  }) {}
  const ids = ["a", "b", "c"];
  const indexesAreComplete: NamedCheck = {
    name: "complete indexes",
    begin: ({ storage, openContext }) => ({
      async afterWrite() {
        const members = await openContext().query(Member).where({ group }).toArray();
        const { entities } = await storage.query("Members", {});
        const stored = entities.map(({ RowKey }) => RowKey).filter((key) => key.startsWith("MAIL:"));
        const expected = members.flatMap(({ mail }) => (mail === undefined ? [] : [`MAIL:${mail}`]));
        const [left, right] = [stored.toSorted().join(), expected.toSorted().join()];
        return left === right || `the index has ${left}, and the entities have ${right}`;
      },
    }),
  };
  return {
    name: "indexed rows",
    scenario: {
      classes: [Member],
      setup(context) {
        for (const id of ids) context.add(new Member({ group, id, mail: `${id}@example.org` }));
      },
      actors: {
        async clerk({ context, random }) {
          const key = { group, id: random.oneOf(ids) };
          const mail = `${random.oneOf([...ids, "d"])}@example.org`;
          await random.oneOf<() => unknown>([
            () => context.modify(Member, key, (member) => void (member.mail = mail)),
            () => context.upsert(new Member({ ...key, mail }), random.oneOf(["merge", "replace"] as const)),
            () => context.removeByKey(Member, key, "*"),
          ])();
          await context.saveChanges({
            removeMissing: random.oneOf(["conflict", "ignore", "error"] as const),
          });
        },
      },
    },
    checks: [outcomes(), indexesAreComplete],
  };
}

/** Messages of a queue in a table, which programs put, receive, renew and remove. */
export function queueMessages(proof: Proof): Workload {
  class Done extends defineEntity({
    table: "Done",
    partitionKey: { group: text() },
    rowKey: { text: text() },
    properties: {},
    ...proof,
  }) {}
  const queue = "work";
  const acknowledged = new Set<string>();
  const open = ({ storage, clock }: Pick<ActorTools, "storage" | "clock">): QueueStorage =>
    tableQueues(storage, { clock, shards: 2 });
  const nothingIsLost: NamedCheck = {
    name: "no message lost",
    begin: ({ storage, openContext }) => ({
      async atEnd() {
        const done = await openContext().query(Done).where({ group }).toArray();
        const found = new Set(done.map((one) => one.text));
        const later = { now: () => Date.UTC(2027, 0, 1), wait: () => Promise.resolve() };
        const queues = tableQueues(storage, { clock: later });
        if ((await queues.listQueues()).includes(queue))
          for (const one of await queues.receive(queue, { max: 32, visibilityMs: 1000 })) found.add(one.text);
        const lost = [...acknowledged].find((one) => !found.has(one));
        return lost === undefined || `the message "${lost}" was put, and is neither done nor in the queue`;
      },
    }),
  };
  return {
    name: "queue messages",
    scenario: {
      classes: [Done],
      setup: () => acknowledged.clear(),
      actors: {
        async producer(tools) {
          const queues = open(tools);
          await queues.createQueue(queue);
          const message = `${tools.number}.${tools.step}`;
          await queues.put(queue, message, {
            timeToLiveMs: "never",
            visibleAfterMs: tools.random.below(2000),
          });
          acknowledged.add(message);
        },
        async worker(tools) {
          const { context, clock, observe, random } = tools;
          const queues = open(tools);
          await clock.wait(random.below(3000));
          const [message] = await queues.receive(queue, { visibilityMs: 30_000 });
          if (message === undefined) return;
          const held =
            random.below(2) === 0 ? message : await queues.update(queue, message, { visibilityMs: 60_000 });
          context.upsert(new Done({ group, text: message.text }), "replace");
          await context.saveChanges();
          await observe.claims("messages").take(async () => {
            await queues.remove(queue, held);
            return message.id;
          });
        },
      },
    },
    checks: [outcomes(), takenOnce(), nothingIsLost],
  };
}
