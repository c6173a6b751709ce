import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const workspace = join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(workspace, file), "utf8");

test("a package that has had no release is named by a changeset", () => {
  const changesets = globSync(".changeset/*.md", { cwd: workspace }).map(read).join("\n");
  const manifests = globSync("packages/*/package.json", { cwd: workspace }).map(
    (file) => JSON.parse(read(file)) as { readonly name: string; readonly version: string },
  );

  const missing = manifests.filter(
    ({ name, version }) => version === "0.0.0" && !changesets.includes(`"${name}": `),
  );

  expect(missing.map(({ name }) => `add "${name}": minor to .changeset/first-release.md`)).toEqual([]);
});
