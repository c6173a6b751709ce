import { expect, test } from "vitest";
import { defineTask } from "../src/index.ts";

const nothing = (): void => undefined;

test.each([
  ["shipOrder", "ship-order"],
  ["DeleteChannelAndBlogs", "delete-channel-and-blogs"],
  ["HTTPCallback", "http-callback"],
  ["send e-mail!", "send-e-mail"],
  ["step2Go", "step2-go"],
])("the task %s has the queue %s, unless it names another", (name, queue) => {
  expect(defineTask(name, nothing).queue).toBe(queue);
  expect(defineTask(name, nothing, { queue: "orders" }).queue).toBe("orders");
});

test.each<[string, object, string]>([
  ["", {}, "workflow.name"],
  ["ö", {}, "workflow.name"],
  ["x".repeat(60), {}, "workflow.name"],
  ["x".repeat(201), { queue: "orders" }, "workflow.name"],
  ["ship", { queue: "Orders" }, "queue.name"],
  ["ship", { queue: "x".repeat(60) }, "queue.name"],
  ["ship", { attempts: 0 }, "workflow.option"],
  ["ship", { maxAttempt: 1 }, "workflow.option"],
])("a task named %j with %j is refused: %s", (name, options, code) => {
  expect(() => defineTask(name, nothing, options)).toThrow(expect.objectContaining({ code }));
});

test("a handler is a function", () => {
  expect(() => defineTask("ship", "nothing" as never)).toThrow(
    expect.objectContaining({ code: "workflow.option" }),
  );
});
