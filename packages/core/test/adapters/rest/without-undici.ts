import { Pool } from "undici";
import { beforeAll, expect, vi } from "vitest";

// What Bun has in the place of undici: a class without methods. Every failure must end alike over node:http.
vi.mock("undici", () => ({ Pool: class {} }));

beforeAll(() => {
  expect(Object.getOwnPropertyNames(Pool.prototype)).toEqual(["constructor"]);
});
