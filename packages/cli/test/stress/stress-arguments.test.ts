import { expect, test } from "vitest";
import { readStressArguments } from "../../src/stress/stress-arguments.ts";
import { UsageError } from "../../src/usage-error.ts";

test("reads a module, a storage, numbers and files", () => {
  expect(readStressArguments(["stress.js", "--storage", "memory:"])).toEqual({
    module: "stress.js",
    storage: "memory:",
  });
  const numbers = ["--seconds", "30", "--from", "50", "--to", "2e3", "--target", "1000"];
  const files = ["--svg", "plot.svg", "--json", "plot.json"];
  expect(readStressArguments(["stress.js", "--storage", "memory:", ...numbers, ...files])).toEqual({
    module: "stress.js",
    storage: "memory:",
    seconds: 30,
    from: 50,
    to: 2000,
    target: 1000,
    svg: "plot.svg",
    json: "plot.json",
  });
});

test.each([
  [[], /takes a module that exports defineStress.*and a storage/],
  [["stress.js"], /takes a module that exports defineStress.*and a storage/],
  [["--storage", "memory:"], /takes a module/],
  [["a.js", "b.js", "--storage", "memory:"], /does not take "b\.js"/],
  [["a.js", "--storage", "memory:", "--fast"], /Known: --storage target, --seconds n/],
  [["a.js", "--storage", "memory:", "--seconds", "soon"], /^--seconds takes a number above 0/],
  [["a.js", "--storage", "memory:", "--to", "0"], /^--to takes a number above 0/],
  [["a.js", "--storage", "memory:", "--target", "-5"], /./],
])("refuses %j with a sentence", (args, message) => {
  expect(() => readStressArguments(args)).toThrow(message);
  expect(() => readStressArguments(args)).toThrow(UsageError);
});
