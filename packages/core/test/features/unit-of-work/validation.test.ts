import { expect, test } from "vitest";
import type { TableContext } from "../../../src/index.ts";
import { contextOf, failure, keyOf, Note, open, read, seeded, valuesIn } from "./store.ts";

test("what changes while a validator runs is validated too", async () => {
  const store = await seeded(open);
  const seen: unknown[] = [];
  const context: TableContext = contextOf(store, {
    validate: async (judged) => {
      const { title } = judged as Note;
      seen.push(title);
      await new Promise((resolve) => setImmediate(resolve));
      if (seen.length === 1) {
        entity.title = "sneaked in";
        context.create(Note, { ...keyOf(2), title: "added" });
      }
      return title === "sneaked in"
        ? [{ property: "title", message: "must not sneak" }]
        : (undefined as never);
    },
  });
  const entity = await read(context);
  entity.title = "edited";

  expect(await failure(context.saveChanges())).toMatchObject({ code: "save.invalid" });
  expect(store.sent).toEqual([]);
  entity.title = "fine";
  await context.saveChanges();
  expect(seen).toContain("added");
});

test("an entity that changes again each time it is validated is refused", async () => {
  const store = await seeded(open);
  let n = 0;
  const context = contextOf(store, {
    validate: async () => {
      await Promise.resolve();
      entity.editedOn = new Date(n++);
      return [];
    },
  });
  const entity = await read(context);
  entity.title = "edited";

  const error = await failure(context.saveChanges());
  expect(error.cause).toMatchObject({ code: "validator.endless" });
  expect(store.sent).toEqual([]);
});

test("a property that throws, and a validator that throws, are told of their entity", async () => {
  const store = await seeded(open, 2);
  const context = contextOf(store, {
    validate: (entity) => {
      if ((entity as Note).title === "odd") throw new Error("cannot judge");
      return [];
    },
  });
  const [first, second] = [await read(context, 1), await read(context, 2)];
  second.title = "odd";
  expect(await failure(context.saveChanges())).toMatchObject({
    code: "save.invalid",
    message: expect.stringMatching(/"2"\) was not saved: cannot judge/) as string,
  });
  second.title = "even";
  Object.defineProperty(first, "weight", {
    get: () => {
      throw new Error("no weight");
    },
  });
  expect(await failure(context.saveChanges())).toMatchObject({
    code: "save.invalid",
    message: expect.stringMatching(/"1"\) was not saved: no weight/) as string,
  });
  await context.saveChanges({ only: [second] });
  expect(await valuesIn(store, 2)).toMatchObject({ title: "even" });
});
