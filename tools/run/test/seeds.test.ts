import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";

const workspace = join(import.meta.dirname, "../../..");

/** What the tests of one project load first. */
interface Project {
  readonly test?: { readonly name?: string; readonly setupFiles?: readonly string[] };
}

/** The projects of the workspace's configuration that draw from the fixed seed, and those that don't. */
async function projects(): Promise<{ fixed: string[]; random: string[] }> {
  vi.resetModules();
  const { default: config } = (await import("../../../vitest.config.ts")) as {
    default: { test: { projects: readonly Project[] } };
  };
  const isFixed = ({ test: options }: Project): boolean =>
    options?.setupFiles?.includes("tools/run/fixed-seed.ts") ?? false;
  const namesOf = (some: readonly Project[]): string[] =>
    some.map(({ test: options }) => String(options?.name));
  const all = config.test.projects;
  return {
    fixed: namesOf(all.filter(isFixed)),
    random: namesOf(all.filter((project) => !isFixed(project))),
  };
}

describe("laws draw the same cases in every run", () => {
  beforeEach(() => {
    vi.unstubAllEnvs();
    vi.stubEnv("PARTITA_LONG", undefined);
    vi.stubEnv("PARTITA_BUGS", undefined);
  });

  test("of `pnpm test` and its platforms: all projects but those of units, which have no laws, have the fixed seed", async () => {
    const { fixed, random } = await projects();

    expect(random.filter((name) => !name.startsWith("unit: "))).toEqual([]);
    expect(fixed).toContain("laws: core");
  });

  test("and other ones in every run of `pnpm test:torture`", async () => {
    vi.stubEnv("PARTITA_LONG", "1");

    const { random } = await projects();

    expect(random).toContain("torture: core");
  });
});

/** Code that differs from run to run. */
const random = /\bMath\.random\(|\brandom(Bytes|UUID|Int)\(|Date\.now\(\) %|getRandomValues\(/;
/** It tests that a simulation replaces these very functions. */
const simulates = "packages/testing/test/simulation/simulate.test.ts";

test("tests draw nothing at random: seeds come from seedOf(), bytes from noise()", () => {
  const files = globSync("{packages,tools,examples}/*/test/**/*.ts", { cwd: workspace });

  const drawing = files.filter((file) => random.test(readFileSync(join(workspace, file), "utf8")));

  expect(drawing.filter((file) => file !== simulates && !file.endsWith("run/test/seeds.test.ts"))).toEqual(
    [],
  );
});

test("units have no laws: those are in files named *.law.test.ts or *.service.test.ts", () => {
  const files = globSync("{packages,tools,examples}/*/test/**/*.test.ts", { cwd: workspace });
  const units = files.filter((file) => !/\.(law|service|cloud)\.test\.ts$/.test(file));
  const laws = /\bfc\.(assert|check|sample)\(|\.prop\(/;

  const wrong = units.filter((file) => laws.test(readFileSync(join(workspace, file), "utf8")));

  expect(wrong.filter((file) => !file.startsWith("tools/toolchains/"))).toEqual([]);
});
