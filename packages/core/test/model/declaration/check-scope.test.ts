import { expect, test } from "vitest";
import { defineEntity, json, text } from "../../../src/index.ts";
import { modelOf } from "../../../src/models.ts";

const keys = { partitionKey: { box: text() }, rowKey: { id: text() } } as const;

test.each([
  [{ scopedBy: "other" }, /neither a part of its key nor a stored property/],
  [{ scopedBy: "data" }, /holds JSON/],
  [{ scopedBy: "tenant", unscoped: true }, /unscoped: true/],
])("%o is refused", (settings, message) => {
  const Wrong = defineEntity({
    table: "Notes",
    ...keys,
    properties: { tenant: text(), data: json() },
    ...(settings as object),
  });

  expect(() => modelOf(Wrong)).toThrow(expect.objectContaining({ code: "model.scope" }));
  expect(() => modelOf(Wrong)).toThrow(message);
});

test("a part of the key, or a stored property, says whose a row is", () => {
  for (const scopedBy of ["box", "id", "tenant"] as const)
    expect(
      modelOf(defineEntity({ table: "Notes", ...keys, properties: { tenant: text() }, scopedBy })).options,
    ).toMatchObject({
      scopedBy,
    });
});
