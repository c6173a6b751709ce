import { describe } from "vitest";
import { describeIndexes } from "../fixtures/indexes.ts";

describe("indexes of classes with legacy decorators", () => {
  describeIndexes();
});
