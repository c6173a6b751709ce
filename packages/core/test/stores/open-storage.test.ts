import { expect, test } from "vitest";
import { type OpenOptions, openStorage } from "../../src/index.ts";

const messageOf = async (target: unknown, options?: unknown): Promise<string> => {
  try {
    await (await openStorage(target as string, options as OpenOptions)).close();
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return "opened";
};

test.each<[string, unknown]>([
  ["a variable that is not set", process.env["PARTITA_TEST_NOT_SET"]],
  ["null", null],
  ["an empty text", ""],
  ["spaces", "  "],
])("%s as the target lists the targets there are, and points at the environment", async (_what, target) => {
  expect(await messageOf(target)).toMatch(
    /^storage\.unknown-target .*that variable is not set.*"file:path\.db".*"memory:".*UseDevelopmentStorage=true.*AccountName=….*URL/,
  );
});

test.each<[string, unknown]>([
  ["a path without file:", "blogs.db"],
  ["a URL object", new URL("https://acct.table.core.windows.net")],
  ["an object of options", { connectionString: "AccountKey=secret" }],
  ["a text in quotation marks", '"AccountName=a;AccountKey=secret"'],
])("%s as the target lists the targets there are, and repeats nothing of it", async (_what, target) => {
  const message = await messageOf(target);

  expect(message).toMatch(/^storage\.unknown-target .*"file:path\.db"/);
  expect(message).not.toMatch(/secret|blogs|not set/);
});

test("options that are none are refused, and a misspelt one lists those there are", async () => {
  expect(await messageOf("memory:", null)).toMatch(
    /^storage\.option .*takes its options as an object, but got null/,
  );
  expect(await messageOf("memory:", "full")).toMatch(
    /^storage\.option .*takes its options as an object, but got a string/,
  );
  expect(await messageOf("memory:", { tablePrefx: "a" })).toMatch(
    /"tablePrefx"\. Did you mean tablePrefix\? It takes: tablePrefix, /,
  );
});
