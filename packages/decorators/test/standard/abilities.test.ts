import { describe } from "vitest";
import { describeAbilities } from "../fixtures/abilities.ts";

describe("what classes without decorators and with standard decorators can declare", () => {
  describeAbilities();
});
