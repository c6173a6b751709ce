import type { TableError } from "../../../src/models.ts";

/** The code that a condition is refused with; what `explain()` gives where it is not. */
export function refusalCode(condition: () => { explain(): unknown }): unknown {
  try {
    return condition().explain();
  } catch (error) {
    return (error as TableError).code;
  }
}
