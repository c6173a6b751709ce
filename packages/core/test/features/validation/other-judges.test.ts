// Code that judges without being a validator: who chooses between two sides of a conflict, and who tells kinds apart.
import { describe, expect, test } from "vitest";
import {
  binary,
  dateTime,
  defineEntity,
  defineKind,
  json,
  type PropertyConflict,
  TableContext,
  text,
} from "../../../src/index.ts";
import { storageOf } from "./judged.ts";

class Doc extends defineEntity({
  table: "Docs",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: {
    tags: json<string[]>().optional(),
    at: dateTime().optional(),
    bytes: binary().optional(),
    title: text().optional(),
  },
}) {}

type Name = "tags" | "at" | "bytes";
type Side = "base" | "mine" | "theirs";
const key = { p: "p", r: "1" };
const values: Readonly<Record<Side, () => Required<Pick<Doc, Name>>>> = {
  base: () => ({ tags: ["b"], at: new Date(1), bytes: new Uint8Array([1]) }),
  mine: () => ({ tags: ["m"], at: new Date(2), bytes: new Uint8Array([2]) }),
  theirs: () => ({ tags: ["t"], at: new Date(3), bytes: new Uint8Array([3]) }),
};
const change: Readonly<Record<Name, (value: never) => unknown>> = {
  tags: (tags: string[]) => tags.push("x"),
  at: (at: Date) => at.setTime(9),
  bytes: (bytes: Uint8Array) => bytes.fill(9),
};

/** A context with an entity that was changed on both sides. */
async function inConflict(name: Name) {
  const storage = await storageOf(Doc);
  const [context, other] = [new TableContext(storage), new TableContext(storage)];
  const doc = context.create(Doc, { ...key, ...values.base() });
  await context.saveChanges();
  const theirs = (await other.find(Doc, key)) as Doc;
  Object.assign(theirs, { [name]: values.theirs()[name] });
  await other.saveChanges();
  Object.assign(doc, { [name]: values.mine()[name] });
  return { context, doc };
}

const cells = (["tags", "at", "bytes"] as const).flatMap((name) =>
  (["base", "mine", "theirs"] as const).flatMap((side) =>
    (["mine", "theirs"] as const).map((choice) => ({ name, side, choice })),
  ),
);

describe.each(cells)(
  "a function that changes $side of $name and returns $choice",
  ({ name, side, choice }) => {
    test("is an error, and changes nothing", async () => {
      const { context, doc } = await inConflict(name);

      const resolving = context.resolveConflict(doc, (conflict) => {
        change[name](conflict[side] as never);
        return choice;
      });

      await expect(resolving).rejects.toMatchObject({
        code: "validator.changed-entity",
        message: expect.stringContaining(`changed the copy of ${name} that it got as ${side}`) as unknown,
        details: { entity: "Doc", property: name },
      });
      expect(doc[name]).toEqual(values.mine()[name]);
    });
  },
);

test.each(["tags", "at", "bytes"] as const)(
  "%s may be merged in place where it is returned",
  async (name) => {
    const { context, doc } = await inConflict(name);
    let snapshotValue: PropertyConflict | undefined;
    await context.resolveConflict(doc, (conflict) => {
      snapshotValue = conflict;
      change[name](conflict.mine as never);
      return { value: conflict.mine };
    });

    const expected = values.mine()[name];
    change[name](expected as never);
    expect(doc[name]).toEqual(expected);
    expect(snapshotValue?.theirs).toEqual(values.theirs()[name]);
  },
);

test("an edit that is made while a function chooses is what mine means", async () => {
  const { context, doc } = await inConflict("tags");
  await context.resolveConflict(doc, async () => {
    await Promise.resolve();
    doc.tags = ["newer"];
    return "mine" as const;
  });

  expect(doc.tags).toEqual(["newer"]);
});

test("theirs is not shared with the function that chose it", async () => {
  const { context, doc } = await inConflict("tags");
  let snapshotValue: string[] = [];
  await context.resolveConflict(doc, ({ theirs }) => {
    snapshotValue = theirs as string[];
    return "theirs";
  });
  snapshotValue.push("late");

  expect(doc.tags).toEqual(["t"]);
});

test.each([
  ["assigns", (row: Record<string, unknown>) => (row["sum"] = "9")],
  ["deletes", (row: Record<string, unknown>) => delete row["sum"]],
  ["defines", (row: Record<string, unknown>) => Object.defineProperty(row, "sum", { value: "9" })],
])("a test of kinds that %s what it tests is an error", async (_what, touch) => {
  class Total extends defineEntity({
    table: "Totals",
    partitionKey: { p: text() },
    rowKey: { r: text() },
    properties: {},
  }) {}
  class Sum extends defineKind(Total, {
    kind: {
      name: "Sum",
      stored: false,
      when: (row) => {
        touch(row as Record<string, unknown>);
        return true;
      },
    },
    properties: { sum: text().optional() },
  }) {}
  const storage = await storageOf(Sum);
  await storage.write("Totals", { type: "insert", entity: { PartitionKey: "p", RowKey: "1", sum: "5" } });

  await expect(new TableContext(storage).query(Total).where({ p: "p" }).toArray()).rejects.toMatchObject({
    code: "validator.changed-entity",
    details: { entity: "Sum", property: "sum" },
  });
});
