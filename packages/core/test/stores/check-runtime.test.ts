import { expect, test } from "vitest";
import { checkRuntime } from "../../src/stores/check-runtime.ts";
import { loadSqlite } from "../../src/stores/embedded/load-sqlite.ts";
import { StorageError } from "../../src/index.ts";

const errorOf = (call: () => unknown): StorageError => {
  try {
    call();
  } catch (error) {
    if (error instanceof StorageError) return error;
  }
  return expect.unreachable("expected a StorageError");
};

test.each(["20.20.2", "18.0.0", "22.18.0", "21.7.3"])(
  "Node %s is refused in a sentence that names both versions",
  (node) => {
    const error = errorOf(() => checkRuntime({ node }));

    expect(error).toMatchObject({ code: "storage.node-version", applied: "no" });
    expect(error.message).toContain("needs Node 22.19 or later");
    expect(error.message).toContain(`Node ${node}`);
  },
);

test.each([{ node: "22.19.0" }, { node: "24.0.0" }, { node: "26.1.0-nightly" }])(
  "%j is new enough",
  (versions) => {
    expect(() => checkRuntime(versions)).not.toThrow();
  },
);

test("Bun and Deno are judged by what they have, not by the Node they follow", () => {
  expect(() => checkRuntime({ node: "20.0.0", bun: "1.4.5" })).not.toThrow();
  expect(() => checkRuntime({ node: "20.0.0", deno: "2.9.6" })).not.toThrow();
});

test("a Bun that sends requests again by itself is refused", () => {
  const error = errorOf(() => checkRuntime({ node: "24.3.0", bun: "1.3.9" }));

  expect(error.code).toBe("storage.node-version");
  expect(error.message).toContain("needs Bun 1.4 or later, but this program runs on Bun 1.3.9");
});

test("a runtime without node:sqlite is told so when a file is opened", () => {
  const error = errorOf(() => loadSqlite(() => undefined));

  expect(error).toMatchObject({ code: "storage.no-sqlite", applied: "no" });
  expect(error.message).toContain(`Node ${process.versions.node} does not have`);
});
