import { describe } from "vitest";
import { describeDecoratedClasses } from "../fixtures/behaviour.ts";

describe("classes with standard decorators", () => {
  describeDecoratedClasses();
});
