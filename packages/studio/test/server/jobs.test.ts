import { forwardStorage } from "@partita/core/internal";
import { upgradeTable } from "@partita/maintenance";
import { expect, test } from "vitest";
import type { Job, UpgradeElsewhere } from "../../src/api/jobs.ts";
import { Blog, Comment, Order, sampleStore } from "../sample-store.ts";
import { type OpenApi, openApi } from "./open-api.ts";

async function finished(api: OpenApi, request: object): Promise<Job> {
  const { id } = await api.ask<Job>("POST jobs/start", request);
  for (;;) {
    const job = (await api.ask<Job[]>("GET jobs")).find((each) => each.id === id);
    if (job !== undefined && job.state !== "running") return job;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("rows are counted by kind, and by version before and after an upgrade", async () => {
  const api = await openApi(await sampleStore(), [Blog, Comment, Order]);

  const kinds = await finished(api, { type: "census", table: "Blogs" });
  const tried = await finished(api, { type: "upgrade", table: "Orders", isDryRun: true });
  const upgraded = await finished(api, { type: "upgrade", table: "Orders" });
  const without = await api.response("POST jobs/start", { type: "census", table: "Hostile" });

  expect(kinds.census?.find(({ kind }) => kind === "Blog")?.count).toBe(168);
  expect(tried.upgrade).toMatchObject({ isDryRun: true, upgraded: 400 });
  expect(upgraded.upgrade).toMatchObject({
    isClean: true,
    upgraded: 400,
    after: [{ version: "3", count: 400 }],
  });
  expect(without.json).toMatchObject({ message: expect.stringContaining("no classes") as string });
});

test("an upgrade by another program is seen while it runs, after it was stopped, and no longer at its end", async () => {
  const storage = await sampleStore();
  const api = await openApi(storage, [Blog, Comment, Order]);
  const look = (table = "Orders"): Promise<UpgradeElsewhere | null> =>
    api.ask("POST jobs/elsewhere", { table });
  const before = await look();
  let marks: readonly (string | undefined)[] = [];
  const stop = new AbortController();
  const other = forwardStorage(storage, {
    transact: async (...args) => {
      if (args[0] === "Orders") marks = [...marks, (await look())?.mark];
      if (marks.length === 3) stop.abort();
      return storage.transact(...args);
    },
  });

  await expect(upgradeTable(other, [Order], { concurrency: 1, signal: stop.signal })).rejects.toMatchObject({
    code: "storage.cancelled",
  });
  const stopped = await look();
  await upgradeTable(storage, [Order]);

  expect([before, await look(), await look("Blogs"), await look("Hostile")]).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect(marks).not.toContain(undefined);
  expect(marks).not.toContain(stopped?.mark);
  expect(stopped).toMatchObject({ pass: 1, pagesAtWork: 1 });
});

test("a survey shows partitions in key order, the largest, and when they were written", async () => {
  const api = await openApi(await sampleStore(), []);

  const { survey } = await finished(api, { type: "survey", table: "Orders" });

  expect(survey).toMatchObject({ rows: 400, partitions: 3 });
  expect(survey?.ranges.map(({ from, rows }) => [from, rows])).toEqual([
    ["shop0", 134],
    ["shop1", 133],
    ["shop2", 133],
  ]);
  expect(survey?.largest[0]?.written.reduce((a, b) => a + b, 0)).toBe(134);
});
