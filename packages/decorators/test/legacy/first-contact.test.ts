import { describe } from "vitest";
import { describeFirstContact } from "../fixtures/first-contact.ts";

describe("a beginner's mistake in a class with legacy decorators is named", () => {
  describeFirstContact();
});
