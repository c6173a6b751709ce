import { afterEach, expect, test, vi } from "vitest";
import { environmentWithoutSecrets, withoutSecrets } from "../../src/session/without-secrets.ts";

afterEach(() => vi.unstubAllEnvs());

test("keys and signatures are left out of a message", () => {
  expect(withoutSecrets("AccountName=a;AccountKey=c2VjcmV0;x and https://a/?sv=1&sig=c2VjcmV0&se=2")).toBe(
    "AccountName=a;AccountKey=…;x and https://a/?sv=1&sig=…&se=2",
  );
  expect(withoutSecrets("a connection string (AccountName=a;AccountKey=c2VjcmV0), or a URL")).toBe(
    "a connection string (AccountName=a;AccountKey=…), or a URL",
  );
});

test("another program gets no variable that has one", () => {
  vi.stubEnv("PROD_STORAGE", "AccountName=a;AccountKey=c2VjcmV0");
  vi.stubEnv("PARTITA_STORAGE", "https://a.table.core.windows.net/?sig=c2VjcmV0");
  vi.stubEnv("DISPLAY", ":0");
  const environment = environmentWithoutSecrets();
  expect(environment["DISPLAY"]).toBe(":0");
  expect(JSON.stringify(environment)).not.toContain("c2VjcmV0");
});
