import { writeFaults } from "@partita/testing";
import { expect, test } from "vitest";
import { contextOf, Note, open, seeded } from "./store.ts";

test("wrong options are refused where they are given", async () => {
  const context = contextOf(await seeded(open));
  const query = context.query(Note).where({ book: "b" });

  await expect(query.page({ size: 1, next: "x" } as never)).rejects.toMatchObject({
    code: "query.option",
  });
  expect(() => query.updateAll(undefined as never)).toThrow(/takes a function/);
  for (const options of [{ only: {} }, { continueOnError: "no" }])
    await expect(context.saveChanges(options as never)).rejects.toMatchObject({ code: "context.option" });
  expect(() => writeFaults("broken" as never)).toThrow(/There is no fault "broken"/);
});
