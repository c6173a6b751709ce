import { expect, test } from "vitest";
import { type Message, parseMessage, printMessage } from "../src/messages/message-text.ts";

const messages: readonly Message[] = [
  { partita: 1, task: "ship", id: "1", payload: { order: "7" } },
  { partita: 1, task: "ship", id: "1" },
  { partita: 1, workflow: "delete", id: "Football", input: null },
  { partita: 1, workflow: "delete", id: "Football", retry: "2" },
  { partita: 1, outbox: { table: "Orders", partition: "", row: "~o~1" }, queueId: "9" },
];

test.each(messages)("%j is read as it was written", (message) => {
  expect(parseMessage(printMessage(message))).toEqual(message);
});

test.each([
  "",
  "hello",
  "null",
  "[]",
  "7",
  '{"task":"ship","id":"1"}',
  '{"partita":2,"task":"ship","id":"1"}',
  '{"partita":1}',
  '{"partita":1,"task":"ship"}',
  '{"partita":1,"task":"","id":"1"}',
  '{"partita":1,"workflow":7,"id":"1"}',
  '{"partita":1,"workflow":"delete","id":"1","retry":7}',
  '{"partita":1,"outbox":"Orders"}',
  '{"partita":1,"outbox":{"table":"Orders","partition":"1"}}',
  // Its place is that of an entity, which a worker would remove.
  '{"partita":1,"outbox":{"table":"Orders","partition":"1","row":"7","state":"closed"}}',
])("%j is no message, and the error does not quote it", (text) => {
  expect(() => parseMessage(text)).toThrow(expect.objectContaining({ code: "workflow.message" }));
  expect(() => parseMessage('{"partita":1,"secret":"hunter2"}')).toThrow(/^(?!.*hunter2)/s);
});
