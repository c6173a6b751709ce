import { openStorage, type TableStorage } from "@partita/core";
import { countedStorage, countedUntil } from "@partita/test-support/death";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FileError, type Files, tableFiles } from "../src/index.ts";

let storage: TableStorage;
let files: Files;
beforeEach(async () => {
  storage = await openStorage("memory:");
  files = tableFiles(storage, { name: "Docs" });
  await tableFiles(storage, { name: "Other" }).write("/a", "other");
  await files.write("/a", "text");
  await files.create("/log");
});
afterEach(() => storage.close());

test("a file system is destroyed with its tables, and can be created again", async () => {
  await files.destroy({ confirm: "Docs" });
  expect(await storage.listTables()).toEqual(["OtherBlocks", "OtherFiles"]);
  expect(await files.open("/a")).toBeUndefined();
  expect((await files.write("/a", "new")).version).toBe(1);
  expect(await (await files.open("/a"))?.text()).toBe("new");
});

test.each([{}, { confirm: "Other" }, { confirm: true }, undefined])(
  "%o does not destroy it",
  async (options) => {
    await expect(async () => files.destroy(options as never)).rejects.toMatchObject({ code: "file.option" });
    expect(await (await files.open("/a"))?.text()).toBe("text");
  },
);

const points = [1, 2, 3, 4].flatMap((request) =>
  [false, true].map((isCarriedOut) => ({ request, isCarriedOut })),
);

test.each(points)(
  "if it is stopped at request $request, carried out: $isCarriedOut, a later call ends it",
  async (death) => {
    const stopped = countedUntil(death, () => Promise.reject(new Error("stopped")));
    const options = { name: "Docs" };
    const destroying = tableFiles(countedStorage(storage, stopped), options).destroy({ confirm: "Docs" });
    await expect(destroying).rejects.toThrow("stopped");

    const { request, isCarriedOut } = death;
    const isMarked = request > 2 || (request === 2 && isCarriedOut);
    const isGone = request === 4 && isCarriedOut;
    const opened = await tableFiles(storage, options)
      .open("/a")
      .then(
        (file) => file?.path,
        ({ code }: FileError) => code,
      );
    expect(opened).toBe(isGone ? undefined : isMarked ? "file.destroyed" : "/a");

    await tableFiles(storage, options).destroy({ confirm: "Docs" });
    expect(await storage.listTables()).toEqual(["OtherBlocks", "OtherFiles"]);
  },
);

test("what does not exist is destroyed without an error", async () => {
  await tableFiles(storage, { name: "None" }).destroy({ confirm: "None" });
  expect(await storage.listTables()).toHaveLength(4);
});
