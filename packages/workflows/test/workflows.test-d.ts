import type { TableContext } from "@partita/core";
import type { QueueStorage } from "@partita/queues";
import { expectTypeOf, test } from "vitest";
import {
  type AnyTask,
  type AnyWorkflow,
  defineTask,
  defineWorkflow,
  type WorkerOptions,
} from "../src/index.ts";

declare const queues: QueueStorage;

const ship = defineTask("ship", (payload: { order: string }) => void payload.order);
const bare = defineTask("bare", () => undefined);
const flow = defineWorkflow("flow", async (step, input: { channel: string }) => {
  const n = await step.run("one", () => 1);
  expectTypeOf(n).toEqualTypeOf<number>();
  const text = await step.run("two", async (context, { id, signal }) => {
    expectTypeOf(context).toEqualTypeOf<TableContext>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return id;
  });
  expectTypeOf(text).toEqualTypeOf<string>();
  expectTypeOf(await step.sleep("a while", 1)).toEqualTypeOf<void>();
  return { n, channel: input.channel };
});

test("payloads and inputs are those that handlers take", () => {
  void ship.send(queues, { order: "7" });
  // @ts-expect-error -- another payload
  void ship.send(queues, { order: 7 });
  // @ts-expect-error -- no payload
  void ship.send(queues);
  void bare.send(queues, undefined);
  void flow.start(queues, { channel: "Football" }, { id: "Football" });
  // @ts-expect-error -- another input
  void flow.start(queues, { chanel: "Football" });
  // @ts-expect-error -- an option that is misspelt
  void flow.start(queues, { channel: "Football" }, { ids: "Football" });
});

test("any task and any workflow is one that a worker takes", () => {
  expectTypeOf(ship).toExtend<AnyTask>();
  expectTypeOf(flow).toExtend<AnyWorkflow>();
  expectTypeOf<WorkerOptions>().toHaveProperty("tasks");
  const options: Pick<WorkerOptions, "tasks" | "workflows"> = { tasks: [ship, bare], workflows: [flow] };
  expectTypeOf(options.tasks).toEqualTypeOf<readonly AnyTask[] | undefined>();
  // @ts-expect-error -- a workflow is no task
  const wrong: readonly AnyTask[] = [flow];
  expectTypeOf(wrong).toEqualTypeOf<readonly AnyTask[]>();
});
