import { chmod, mkdir, readdir } from "node:fs/promises";
import { openStorage } from "@partita/core";
import { asReader } from "@partita/test-support/as-reader";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { expect, test } from "vitest";
import { run, type Run } from "../run.ts";

const inFolder = folderOfEachTest();

test("commands that read work in a read-only folder, and those that write say why they don't", async () => {
  const file = inFolder("only", "blogs.db");
  await mkdir(inFolder("only"));
  const writer = await openStorage(`file:${file}`);
  await writer.createTable("Blogs");
  await writer.write("Blogs", { type: "insert", entity: { PartitionKey: "p", RowKey: "r", n: 1 } });
  await writer.close();
  const target = `file:${file}`;
  const commands = [
    ["tables", target],
    ["count", target, "Blogs"],
    ["query", target, "Blogs", "--scan"],
    ["get", target, "Blogs", "p", "r"],
    ["export", target, "Blogs"],
    ["verify", file],
  ];
  const runAll = async (): Promise<Run[]> => {
    const runs: Run[] = [];
    for (const command of commands) runs.push(await run(...command));
    return runs;
  };
  const expected = await runAll();
  await chmod(file, 0o444);
  for (const folder of [inFolder(), inFolder("only")]) await chmod(folder, 0o555);
  const files = await readdir(inFolder("only"));
  const found = await asReader(runAll);
  const refused = await asReader(() => run("rm", target, "Blogs", "p", "r", "--force"));
  for (const folder of [inFolder(), inFolder("only")]) await chmod(folder, 0o700);

  expect(found).toEqual(expected);
  expect(expected.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(refused).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^storage\.read-only: .*blogs\.db cannot be written/) as string,
  });
  expect(await readdir(inFolder("only"))).toEqual(files);
});
