import { describeType } from "../../values/errors/serialization-error.ts";
import type { NamedStep } from "./step.ts";

/** A step in words, without values: `rename("Qty", "Quantity")`. */
export function describeStep(step: NamedStep): string {
  switch (step.op) {
    case "rename":
    case "retype":
      return `${step.op}("${step.from}", "${step.to}")`;
    case "add":
    case "remove":
      return `${step.op}("${step.name}")`;
    case "split":
      return `split("${step.from}")`;
    case "join":
      return `join(${step.from.map((name) => `"${name}"`).join(", ")})`;
    default:
      return describeType(step);
  }
}
