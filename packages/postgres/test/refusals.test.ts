import { expect, test } from "vitest";
import { isRefusal, toStorageError } from "../src/connection/postgres-errors.ts";

/** An error of the client library. */
const reported = (severity: string, code: string): unknown =>
  Object.assign(new Error("key-of-row"), { severity, code, detail: "value-of-row" });

test.each([
  ["ERROR", "23505", true],
  ["FEHLER", "40001", true],
  ["ОШИБКА", "42501", true],
  ["FATAL", "57P01", false],
  ["PANIC", "53100", false],
  ["ВАЖНО", "57P01", false],
  ["PANIK", "XX000", false],
])("%s with the code %s: the server rolled the statement back: %s", (severity, code, isRolledBack) => {
  const error = reported(severity, code);

  expect(isRefusal(error)).toBe(isRolledBack);
  const { applied, message, cause } = toStorageError(error, "postgres://host/db", "maybe");
  expect(applied).toBe(isRolledBack ? "no" : "maybe");
  expect(`${message} ${String(cause)}`).not.toContain("of-row");
});

test("an error of the system is no answer of the server", () => {
  const error = Object.assign(new Error("reset"), { code: "ECONNRESET" });

  expect(isRefusal(error)).toBe(false);
  expect(toStorageError(error, "postgres://host/db", "maybe").applied).toBe("maybe");
});
