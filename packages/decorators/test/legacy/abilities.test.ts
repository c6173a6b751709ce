import { describe } from "vitest";
import { abilities, describeAbilities } from "../fixtures/abilities.ts";
import { inferred } from "./inferred.ts";

describe("what classes without decorators and with legacy decorators can declare", () => {
  describeAbilities([...abilities, inferred]);
});
