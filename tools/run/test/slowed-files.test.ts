import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { slowedFiles } from "../slowed-files.ts";

const workspace = join(import.meta.dirname, "../../..");
const files = slowedFiles();

describe("the run on a busy core", () => {
  test("has a file of each package whose tests start processes or servers", () => {
    const packageOf = (file: string): string =>
      file.split("/", file.startsWith("examples/") ? 1 : 2).join("/");
    const services = globSync("{packages,examples,tools}/*/test/**/*.service.test.ts", {
      cwd: workspace,
      // They end processes at requests that are counted, however fast they come.
      exclude: ["**/kill.service.test.ts"],
    });

    const covered = new Set(files.map(packageOf));
    const missing = new Set(services.map(packageOf).filter((name) => !covered.has(name)));

    expect([...missing].map((name) => `name a test of ${name} in tools/run/slowed-files.ts`)).toEqual([]);
  });

  test("names files that are there", () => {
    expect(files.filter((file) => !existsSync(join(workspace, file)))).toEqual([]);
  });
});
