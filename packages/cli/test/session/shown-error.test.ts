import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { shownError } from "../../src/session/shown-error.ts";
import { UsageError } from "../../src/session/usage-error.ts";

const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** An error as Node makes it for a refused system call. */
const system = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: raw text, write`), { code, errno: -110, syscall: "write", path });

test("errors of Partita have their code before the message, and options are wrong arguments", () => {
  expect(shownError(withCode("storage.unreachable", "No answer.")).message).toBe(
    "storage.unreachable: No answer.",
  );
  expect(UsageError.is(shownError(withCode("storage.unreachable", "")))).toBe(false);
  expect(UsageError.is(shownError(withCode("transfer.option", "")))).toBe(true);
});

test.each([
  ["ENOSPC", undefined, "The disk is full. Free some space, and run the command again."],
  ["EACCES", "a.csv", "a.csv: You don't have permission to read or write the file."],
  ["ETIMEDOUT", "a.csv", "a.csv: The operating system reports: connection timed out."],
])("the system's %s is a sentence", (code, path, message) => {
  expect(shownError(system(code, path)).message).toBe(message);
});

test("a real refusal of the system is one too", async () => {
  const refused = await readFile("/none/of/these").catch(shownError);

  expect((refused as Error).message).toBe("/none/of/these: It does not exist.");
});

test("a thrown value that is no error is named by its type only", () => {
  expect(shownError("secret").message).toBe("The module threw string.");
});
