import { expect, test } from "vitest";
import { jsonText } from "../src/messages/json-text.ts";

test.each([[null], ["text"], [1.5], [[1, [true, null]]], [{ a: { b: ["c"] }, "d e": "" }], ["\ud800"]])(
  "%j comes back as it was",
  (value) => {
    expect(JSON.parse(jsonText(value, "It"))).toStrictEqual(value);
  },
);

test("members that are undefined are left out, and objects of a class are their properties", () => {
  class Channel {
    name = "Football";
    isValid = true;
  }

  expect(JSON.parse(jsonText({ a: undefined, channel: new Channel() }, "It"))).toEqual({
    channel: { name: "Football", isValid: true },
  });
});

const itself: { me?: unknown } = {};
itself.me = itself;
let deep: unknown[] = [];
for (let i = 0; i < 600; i++) deep = [deep];
const holes: number[] = [];
holes[2] = 3;

test.each<[unknown, string]>([
  [undefined, "it"],
  [1n, "it"],
  [Symbol("s"), "it"],
  [{ at: new Date(0) }, "at"],
  [{ total: Number.NaN }, "total"],
  [{ list: [0, Number.POSITIVE_INFINITY] }, "list[1]"],
  [{ list: [undefined] }, "list[0]"],
  [{ a: { "b c": () => 1 } }, 'a["b c"]'],
  [{ seen: new Map([[1, 2]]) }, "seen"],
  [{ bytes: new Uint8Array(3) }, "bytes"],
  [{ bytes: Buffer.from("hunter2") }, "bytes"],
  [{ why: new Error("hunter2") }, "why"],
  [{ [Symbol("s")]: 1 }, "it"],
  [itself, "me"],
  [holes, "it"],
  [deep, "[0]"],
])("case %#: what JSON would change is refused by its path %s", (value, path) => {
  expect(() => jsonText(value, 'The output of step "mark"')).toThrow(
    expect.objectContaining({
      code: "workflow.not-json",
      message: expect.stringContaining(`not JSON: ${path}`),
    }),
  );
  expect(() => jsonText(value, "It")).toThrow(/^(?!.*hunter2)/s);
});
