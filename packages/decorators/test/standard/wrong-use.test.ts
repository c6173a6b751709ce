import { describe } from "vitest";
import { describeWrongUse } from "../fixtures/wrong-use.ts";

describe("a standard decorator that is used wrongly says how it is written", () => {
  describeWrongUse();
});
