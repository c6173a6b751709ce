import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** The modules that a program loads, as URLs. */
function modulesLoadedBy(program: string): readonly string[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      "--conditions=@partita/source",
      "--input-type=module",
      "--eval",
      `import { registerHooks } from "node:module";
      const urls = [];
      registerHooks({
        resolve(specifier, context, next) {
          const resolved = next(specifier, context);
          urls.push(resolved.url);
          return resolved;
        },
      });
      ${program}
      console.log(JSON.stringify(urls));`,
    ],
    { cwd: import.meta.dirname, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  return JSON.parse(stdout) as readonly string[];
}

const ofFastCheck = /node_modules\/fast-check\//;
const ofServer = /\/server\/src\/|^node:https?$/;

test("importing the package loads neither fast-check nor the server", () => {
  const loaded = modulesLoadedBy('await import("@partita/testing");');

  expect(loaded.some((url) => url.endsWith("/testing/src/index.ts"))).toBe(true);
  expect(loaded.filter((url) => ofFastCheck.test(url) || ofServer.test(url))).toEqual([]);
});

test("only a simulation loads what simulates", () => {
  const ofRuns = /\/testing\/src\/simulation\/run\//;
  const idle = modulesLoadedBy('await import("@partita/testing");');
  const busy = modulesLoadedBy(
    `const { scenario, simulate } = await import("@partita/testing");
    const { defineEntity, text } = await import("@partita/core");
    class Thing extends defineEntity({ table: "Things", partitionKey: { a: text() }, rowKey: { b: text() }, properties: {} }) {}
    const still = scenario({ classes: [Thing], actors: { nobody: () => undefined }, check: () => undefined });
    await simulate(still, { seeds: 1 });`,
  );

  expect(idle.filter((url) => ofRuns.test(url))).toEqual([]);
  expect(busy.filter((url) => ofRuns.test(url))).not.toEqual([]);
  expect(busy.filter((url) => ofFastCheck.test(url) || ofServer.test(url))).toEqual([]);
});

test("only a stress test loads what loads a partition and draws plots", () => {
  const ofStress = /\/testing\/src\/stress\/run\/|\/node_modules\/simple-ascii-chart\//;
  const idle = modulesLoadedBy('await import("@partita/testing");');
  const busy = modulesLoadedBy(
    `const { stressPartition } = await import("@partita/testing");
    const { defineEntity, openStorage, text } = await import("@partita/core");
    class Thing extends defineEntity({ table: "Things", partitionKey: { a: text() }, rowKey: { b: text() }, properties: {} }) {}
    const report = await stressPartition(await openStorage("memory:"), Thing, {
      partition: { a: "a" },
      load: [{ share: 1, run: (context, n) => void context.create(Thing, { a: "a", b: String(n) }) }],
      seconds: 0.1,
      rate: { from: 10, to: 20, steps: 2 },
    });
    report.plot();`,
  );

  expect(idle.filter((url) => ofStress.test(url))).toEqual([]);
  expect(busy.filter((url) => ofStress.test(url))).not.toEqual([]);
  expect(busy.filter((url) => ofServer.test(url))).toEqual([]);
});

test("the arbitraries load fast-check", () => {
  const loaded = modulesLoadedBy('await import("@partita/testing/arbitraries");');

  expect(loaded.filter((url) => ofFastCheck.test(url))).not.toEqual([]);
});

test("no arbitrary builds a table of Unicode when it is first used", () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      "--conditions=@partita/source",
      "--expose-gc",
      "--input-type=module",
      "--eval",
      `import fc from "fast-check";
      import * as all from "@partita/testing/arbitraries";
      const heap = () => (gc(), process.memoryUsage().heapUsed / 2 ** 20);
      const before = heap();
      const drawn = [];
      for (const [name, make] of Object.entries(all)) {
        fc.sample(name === "randomClass" ? make("Things").chain(({ values }) => values) : make(), 50);
        drawn.push(name);
      }
      console.log(JSON.stringify({ drawn, mebibytes: heap() - before }));`,
    ],
    { cwd: import.meta.dirname, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  const { drawn, mebibytes } = JSON.parse(stdout) as { drawn: string[]; mebibytes: number };

  expect(drawn).toContain("hostileText");
  // Such a table keeps some 80 MiB.
  expect(mebibytes).toBeLessThan(15);
});
