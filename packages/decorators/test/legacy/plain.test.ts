import { plainCases } from "@partita/test-support/domain/plain-cases";
import { describe } from "vitest";
import { decoratedPlain } from "../fixtures/plain.ts";

describe("plain data and schemas with legacy decorators", () => {
  plainCases(decoratedPlain);
});
