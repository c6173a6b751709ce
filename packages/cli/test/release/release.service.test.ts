import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelSnapshot, ReleaseReport } from "@partita/testing";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../run.ts";

let folder: TemporaryFolder;
const short = ["--histories", "5"];

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(folder.file("old.mjs"), modelWith("title: text(), state: enumOf(['open', 'done'])"));
  await writeFile(
    folder.file("more.mjs"),
    modelWith("title: text(), state: enumOf(['open', 'done']), note: text().optional()"),
  );
  await writeFile(
    folder.file("wrong.mjs"),
    modelWith("title: text(), state: enumOf(['open', 'done', 'archived'])"),
  );
  await writeFile(folder.file("none.mjs"), "export const a = 1;");
  await writeFile(folder.file("other.json"), "[1]");
  await writeFile(folder.file("broken.json"), "{");
});
afterAll(() => folder[Symbol.asyncDispose]());

const core = join(import.meta.dirname, "../../../core/src/index.ts");

const modelWith = (properties: string): string => `
import { defineEntity, enumOf, text } from ${JSON.stringify(core)};
export class Task extends defineEntity({
  table: "Tasks",
  partitionKey: { list: text() },
  rowKey: { id: text() },
  properties: { ${properties} },
}) {}
`;

test("snapshot-model prints the model as JSON, the same each time", async () => {
  const { code, out, errors } = await run("snapshot-model", folder.file("old.mjs"));
  const again = await run("snapshot-model", folder.file("old.mjs"));

  expect([code, errors]).toStrictEqual([0, ""]);
  const [task] = (JSON.parse(out) as ModelSnapshot).classes;
  expect(task?.rowKey).toStrictEqual({ separator: "_", parts: [{ property: "id", format: "verbatim" }] });
  expect(task?.properties[0]).toStrictEqual({
    storedAs: "state",
    name: "state",
    edm: "Edm.String",
    type: "Enum",
    presence: "required",
    values: ["open", "done"],
  });
  expect(again.out).toBe(out);
});

test("release-check ends with 0 when nothing is lost", async () => {
  const { code, out } = await run("release-check", folder.file("old.mjs"), folder.file("more.mjs"), ...short);

  expect(code).toBe(0);
  expect(out).toContain("Harmless:\n  Task in Tasks: note is new.");
  expect(out).toMatch(/^ {2}note \(new\) +new sees: seen$/m);
  expect(out).toMatch(/Nothing is lost while both releases run \(\d+ histories, seed 1\)\.\n$/);
});

test("release-check prints each loss with its history, without values, and ends with 1", async () => {
  const { code, out } = await run(
    "release-check",
    folder.file("old.mjs"),
    folder.file("wrong.mjs"),
    ...short,
  );

  expect(code).toBe(1);
  expect(out).toContain('Breaks the old release:\n  Task in Tasks: state now has "archived"');
  expect(out).toContain("The old release cannot read Task.state of the new one (edm.malformed).");
  expect(out).toContain("\n  new inserts row 1 · old sees state: unreadable\n");
  expect(out).toMatch(/1 thing is lost while both releases run/);
});

test("release-check --json prints the report and the differences", async () => {
  const { code, out } = await run(
    "release-check",
    folder.file("old.mjs"),
    folder.file("wrong.mjs"),
    "--json",
    ...short,
  );

  const report = JSON.parse(out) as ReleaseReport & { readonly changes: readonly object[] };
  expect([code, report.isCompatible, report.changes.length]).toStrictEqual([1, false, 1]);
  expect(report.findings).toMatchObject([{ property: "state", reader: "old", status: "unreadable" }]);
});

test("release-check takes what snapshot-model printed as the old release", async () => {
  const { out } = await run("snapshot-model", folder.file("old.mjs"));
  await writeFile(folder.file("model.json"), out);

  const good = await run("release-check", folder.file("model.json"), folder.file("more.mjs"));
  const wrong = await run("release-check", folder.file("model.json"), folder.file("wrong.mjs"));

  expect([good.code, wrong.code]).toStrictEqual([0, 1]);
  expect(wrong.out).toMatch(/^Breaks the old release:\n {2}Task in Tasks: state now has "archived"/);
  expect(await readFile(folder.file("model.json"), "utf8")).toBe(out);
});

test("values of a file are used for the properties that it names", async () => {
  await writeFile(folder.file("values.json"), JSON.stringify({ Task: { state: ["open"] } }));

  const { code } = await run(
    "release-check",
    folder.file("old.mjs"),
    folder.file("wrong.mjs"),
    "--values",
    folder.file("values.json"),
    ...short,
  );

  expect(code).toBe(0);
});

test.each([
  ["old.mjs", "none.mjs", 1, /exports no entity classes/],
  ["missing.json", "old.mjs", 2, /There is no .*missing\.json/],
  ["other.json", "old.mjs", 1, /is not a snapshot of a model\. Create one: partita snapshot-model/],
  ["broken.json", "old.mjs", 1, /is not JSON\. Create it again/],
])("release-check %s %s ends with %i and says what is wrong", async (older, newer, expected, message) => {
  const { code, errors } = await run("release-check", folder.file(older), folder.file(newer));

  expect(code).toBe(expected);
  expect(errors).toMatch(message);
});
