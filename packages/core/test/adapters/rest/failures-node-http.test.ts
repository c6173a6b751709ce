import { Pool } from "undici";
import { expect, test, vi } from "vitest";

// What Bun has in the place of undici: a class without methods. Every failure must end alike over node:http.
vi.mock("undici", () => ({ Pool: class {} }));

await import("./failures.test.ts");

test("undici is replaced here", () => {
  expect(Object.getOwnPropertyNames(Pool.prototype)).toEqual(["constructor"]);
});
