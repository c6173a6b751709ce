import { describe, expect, test } from "vitest";
import {
  conclude,
  judge,
  judgeMember,
  maySend,
  type MemberFinding,
  type Operation,
} from "../../../src/work/recovery/lost-response-rules.ts";

const merge: Operation = { type: "merge", etag: "1" };
const upsert: Operation = { type: "upsert-merge" };
const row = (etag: string, isEqual = false) => ({ etag, isEqual: () => isEqual });

test.each([
  ["a version that is still there", merge, row("1", true), "not yet"],
  ["the values that were sent", merge, row("2", true), "equal"],
  ["other values", merge, row("2"), "other"],
  ["no row of a merge", merge, undefined, "missing"],
  ["no row of an upsert", upsert, undefined, "absent"],
  ["no row of a deletion", { type: "delete", etag: "1" }, undefined, "gone"],
  ["a row of a deletion", { type: "delete", etag: "1" }, row("2", true), "other"],
] as const)("one row: %s", (_, operation, stored, finding) => {
  expect(judgeMember(operation, stored)).toBe(finding);
});

describe("a transaction is applied completely or not at all", () => {
  test.each<[readonly MemberFinding[], boolean, string]>([
    [["equal", "equal"], false, "content"],
    [["equal", "gone"], false, "content"],
    [["equal", "other"], false, "closed"],
    [["equal", "absent"], true, "closed"],
    [["gone", "gone"], false, "closed"],
    [["not yet", "equal"], false, "not yet"],
    [["not yet", "other"], true, "never"],
  ])("%j, over before it was read: %s", (members, wasOver, finding) => {
    expect(judge([merge, merge], members, wasOver)).toBe(finding);
  });

  test("without a condition, other values prove nothing before it is over", () => {
    expect(judge([upsert], ["other"], false)).toBe("open");
    expect(judge([upsert], ["absent"], true)).toBe("closed");
  });
});

test("a change is clear without attempts, and final when nothing can arrive any more", () => {
  expect(conclude([])).toBe("clear");
  expect(conclude([{ state: "closed" }, { state: "open" }])).toBe("open");
  expect(conclude([{ state: "closed" }])).toBe("final");
});

test("what may overwrite an earlier attempt is sent only if none can arrive, or it is idempotent", () => {
  const waiting = { canArrive: true, isIdempotent: false };
  expect(maySend({ type: "insert" }, undefined, waiting)).toBe(true);
  expect(maySend({ type: "insert" }, { etag: "1" }, waiting)).toBe(false);
  expect(maySend(merge, { etag: "1" }, waiting)).toBe(true);
  expect(maySend(merge, { etag: "2" }, waiting)).toBe(false);
  expect(maySend(upsert, undefined, waiting)).toBe(false);
  expect(maySend(upsert, undefined, { ...waiting, isIdempotent: true })).toBe(true);
  expect(maySend({ type: "merge", etag: "*" }, undefined, { ...waiting, canArrive: false })).toBe(false);
});
