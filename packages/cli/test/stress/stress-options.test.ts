import { expect, test } from "vitest";
import { stress } from "../../src/commands/stress.ts";
import { UsageError } from "../../src/session/usage-error.ts";
import { given } from "../given.ts";

const read = (line: readonly string[]): ReturnType<typeof given> => given(stress, line);

test("reads a module, a storage, numbers and files", () => {
  expect(read(["stress.js", "--storage", "memory:"])).toMatchObject({
    args: ["stress.js"],
    options: { storage: "memory:" },
  });
  const numbers = ["--seconds", "30", "--from", "50", "--to", "2e3", "--target", "1000"];
  const files = ["--svg", "plot.svg", "--json", "plot.json"];
  expect(read(["stress.js", "--storage", "memory:", ...numbers, ...files])).toMatchObject({
    args: ["stress.js"],
    options: {
      storage: "memory:",
      seconds: 30,
      from: 50,
      to: 2000,
      target: 1000,
      svg: "plot.svg",
      json: "plot.json",
    },
  });
});

test.each([
  [[], /required option '--storage <storage>'.*partita stress --help/],
  [["stress.js"], /required option '--storage <storage>'/],
  [["--storage", "memory:"], /missing required argument 'module\.js'/],
  [["a.js", "b.js", "--storage", "memory:"], /too many arguments/],
  [["a.js", "--storage", "memory:", "--fast"], /unknown option '--fast'/],
  [["a.js", "--storage", "memory:", "--seconds", "soon"], /^--seconds takes a number above 0/],
  [["a.js", "--storage", "memory:", "--to", "0"], /^--to takes a number above 0/],
  [["a.js", "--storage", "memory:", "--target", "-5"], /./],
])("refuses %j with a sentence", (args, message) => {
  expect(() => read(args)).toThrow(message);
  expect(() => read(args)).toThrow(UsageError);
});
