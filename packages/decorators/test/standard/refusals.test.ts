import { describe } from "vitest";
import { describeRefusals } from "../fixtures/refusals.ts";

describe("classes without decorators and with standard decorators refuse the same", () => {
  describeRefusals();
});
