import { expect, test } from "vitest";
import { reportOf } from "../../src/stress/plots/report-of.ts";
import { figures, step } from "./figures.ts";

test("a plot for the terminal names what was measured, each step in order of rates, and the verdict", () => {
  const text = reportOf(figures).plot();

  expect(text).toMatch(/^Partition "<&>" of Blog, in https:\/\/account\.table\.core\.windows\.net\n/);
  const rows = text.split("\n").filter((line) => /(?:yes|no)$/.test(line));
  expect(rows.map((row) => row.trim().split(/\s+/))).toEqual([
    ["100", "100", "100", "3", "1,234", "0", "7", "0", "0", "yes"],
    ["450", "450", "450", "3", "1,234", "0", "7", "0", "0", "yes"],
    ["1,000", "1,000", "480", "3", "1,234", "0", "7", "0", "0", "no"],
  ]);
  expect(text).toMatch(/━ served, · offered, ┄ target/);
  expect(text).toMatch(
    /The largest sustained rate is 450 entities\/s, of which it served 450; it never served more than 480\. The target of 400 is met\.$/,
  );
});

test("what was measured on this machine, or by a machine that was late, is said so", () => {
  const local = { ...figures, storage: "http://127.0.0.1:10002/devstoreaccount1" };
  const late = { ...step(900, 500), lateMs: 90, notSent: 3 };

  expect(reportOf(local).plot()).toMatch(/This storage runs on this machine/);
  expect(reportOf({ ...figures, storage: "file:a.db" }).plot()).toMatch(/This storage runs on this machine/);
  expect(reportOf(figures).plot()).not.toMatch(/this machine/i);
  expect(reportOf({ ...figures, steps: [late] }).plot()).toMatch(
    /started work late in 1 of 1 steps[\s\S]*not sent/,
  );
});

test("a target that is missed comes with what to do, and no rate at all with what was served", () => {
  const missed = { ...figures, target: 900, isMet: false };
  const none = { ...figures, steps: [step(100, 20)], sustained: 0, servedThere: 0, mostServed: 20 };

  expect(reportOf(missed).plot()).toMatch(
    /The target of 900 is missed: choose a PartitionKey that distributes/,
  );
  expect(reportOf(none).plot()).toMatch(/It sustained none of the rates, and served at most 20 entities\/s/);
});

test("the JSON is the figures", () => {
  expect(JSON.parse(reportOf(figures).json())).toEqual(figures);
});
