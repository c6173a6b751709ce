import { plainCases } from "@partita/test-support/domain/plain-cases";
import { definedPlain } from "@partita/test-support/domain/plain-classes";
import { describe } from "vitest";

describe("plain data and schemas of defineEntity", () => {
  plainCases(definedPlain);
});
