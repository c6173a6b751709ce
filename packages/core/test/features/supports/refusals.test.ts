import { expect, test } from "vitest";
import { defineEntity, type EntityClass, enumOf, int32, text } from "../../../src/index.ts";
import { type AnyPropertyType, modelOf } from "../../../src/models.ts";
import { add, join, remove, rename, retype, split, upgrades } from "../../../src/upgrades.ts";

/* What two releases cannot share. For each, a history of one to three acts loses a write if it is let through. */

const phases = enumOf(["open", "closed"]);
const stages = enumOf(["open", "closed", "archived"]);
const upper = (value: string): string => value.toUpperCase();

test.each<[string, () => unknown, RegExp]>([
  [
    "a name that an older version has for another property",
    () =>
      upgrades({ A: text(), B: text() })
        .to(2, remove("A", { back: () => "" }))
        .to(3, rename("B", "A"))
        .supports(1),
    /rename\("B", "A"\) to version 3 .* releases of version 1: it uses "A" again, .* Choose another name/,
  ],
  [
    "an optional property that is added with a value",
    () =>
      upgrades({ A: text() })
        .to(2, add("State", text().optional(), "open"))
        .supports(1),
    /"State" is optional, and rows without it read as a value: clearing it would not last/,
  ],
  [
    "a required property that is dropped without a value for new rows",
    () => upgrades({ A: text(), B: text() }).to(2, remove("B")).supports(1),
    /version 1 requires "B", so new rows need a value: remove\("B", \{ back: \(\) => … \}\)/,
  ],
  [
    "a function without a way back",
    () =>
      upgrades({ A: text() })
        .to(2, retype("A", "B", text(), upper))
        .supports(1),
    /it has no way back. Give it one: \{ back: \(…\) => … \}, which returns the values of version 1/,
  ],
  [
    "a free step without a way back",
    () =>
      upgrades({ A: text() })
        .to(2, { B: text() }, ({ A }) => ({ B: A }))
        .supports(1),
    /The function to version 2 .* it has no way back/,
  ],
  [
    "a split without a way back",
    () =>
      upgrades({ A: text() })
        .to(
          2,
          split("A", { B: text() }, (A: string) => ({ B: A })),
        )
        .supports(1),
    /split\("A"\) to version 2 .* it has no way back/,
  ],
  [
    "an optional property that the older version requires",
    () =>
      upgrades({ A: text() })
        .to(
          2,
          retype("A", "B", text().optional(), (a: string) => a, { back: (b) => b as string }),
        )
        .supports(1),
    /"B" is optional, and version 1 requires "A". Let back\(undefined\) return a value/,
  ],
  [
    "a value for absence that is converted to another value again",
    () =>
      upgrades({ A: text() })
        .to(
          2,
          retype("A", "B", text().optional(), (a: string) => a, { back: (b) => b ?? "none" }),
        )
        .supports(1),
    /clearing "B" would not last: back\(undefined\) returns what is converted to another value again/,
  ],
  [
    "a value of an enumeration that the older one lacks",
    () =>
      upgrades({ Stage: phases })
        .to(
          2,
          retype("Stage", "Phase", stages, (a: "open" | "closed") => a, {
            back: (b) => b as "open" | "closed",
          }),
        )
        .supports(1),
    /version 1 can't hold "Phase" "archived", which back turns into "Stage" "archived". Map it to one of open, closed/,
  ],
  [
    "a name that a free step gives another type",
    () =>
      upgrades({ A: text() })
        .to(2, { A: int32() }, ({ A }) => ({ A: Number(A) }), { back: ({ A }) => ({ A: String(A) }) })
        .supports(1),
    /"A" has another type in the version before. Choose another name/,
  ],
  [
    "rows that are said not to exist",
    () => upgrades({ A: text() }).to(2, rename("A", "B")).clean().supports(1),
    /supports\(1\) says that releases of version 1 write rows, and clean\(2\) that there are none/,
  ],
  [
    "the same in the other order",
    () => upgrades({ A: text() }).to(2, rename("A", "B")).supports(1).clean(),
    /supports\(1\) says .* and clean\(2\)/,
  ],
  [
    "a step that is added later",
    () =>
      upgrades({ A: text() })
        .to(2, rename("A", "B"))
        .supports(1)
        .to(3, retype("B", "C", text(), upper)),
    /retype\("B", "C"\) to version 3 .* it has no way back/,
  ],
])("supports() refuses %s", (_name, declare, sentence) => {
  expect(declare).toThrow(expect.objectContaining({ code: "model.supports" }) as Error);
  expect(declare).toThrow(sentence);
});

test.each<[string, () => unknown]>([
  [
    "two renames in turn",
    () => upgrades({ A: text() }).to(2, rename("A", "B")).to(3, rename("B", "C")).supports(1),
  ],
  [
    "an optional property without a value",
    () =>
      upgrades({})
        .to(2, add("A", text().optional(), undefined))
        .supports(1),
  ],
  [
    "an optional property that is dropped",
    () => upgrades({ A: text().optional() }).to(2, remove("A")).supports(1),
  ],
  [
    "a name of a version that is no longer supported",
    () => upgrades({ A: text(), B: text() }).to(2, remove("A")).to(3, rename("B", "A")).supports(2),
  ],
  [
    "absence that is a value of the older version, and back again",
    () =>
      upgrades({ A: text() })
        .to(
          2,
          retype("A", "B", text().optional(), (a: string) => (a === "none" ? undefined : a), {
            back: (b) => b ?? "none",
          }),
        )
        .supports(1),
  ],
  [
    "several properties from one, and one from several",
    () =>
      upgrades({ A: text(), B: text(), C: text() })
        .to(
          2,
          split("A", { D: text(), E: text() }, (a: string) => ({ D: a, E: a }), { back: ({ D }) => D }),
          join(["B", "C"], "F", text(), ({ B, C }: { B: string; C: string }) => `${B} ${C}`, {
            back: (f) => ({ B: f, C: "" }),
          }),
        )
        .supports(1),
  ],
])("supports() takes %s", (_name, declare) => {
  expect(declare).not.toThrow();
});

test.each<[string, AnyPropertyType, AnyPropertyType, RegExp]>([
  [
    "an optional property that older releases require",
    text(),
    text().optional(),
    /B is optional, and its upgrades, which support version 1/,
  ],
  [
    "a value of an enumeration that the upgrades do not know",
    enumOf(["a"]),
    enumOf(["a", "b"]),
    /B may be "b", which its upgrades, which support version 1, do not know/,
  ],
])("a class is refused that has %s", (_name, A, B, sentence) => {
  const version = upgrades({ A } as { A: ReturnType<typeof text> })
    .to(2, rename("A", "B"))
    .supports(1);
  const keys = { table: "Items", partitionKey: { p: text() }, rowKey: { id: text() } };
  const Item = defineEntity({ ...keys, version, properties: { B } } as never) as EntityClass;

  expect(() => modelOf(Item)).toThrow(sentence);
});
