import { withoutLinks } from "@partita/core/internal/planner";
import type { Field, Problem } from "../program.ts";

/** Lines that `Function` puts before its text. */
const linesBefore: Readonly<Record<Field, number>> = { model: 2, query: 0, rows: 0 };

/** An error of a field, as the page shows it. */
export function problemOf(where: Field, error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  const { code, stack = "" } = (error ?? {}) as { readonly code?: unknown; readonly stack?: string };
  // A model is checked when it is first used.
  const field = typeof code === "string" && code.startsWith("model.") ? "model" : where;
  const found = new RegExp(String.raw`\b${field}\.js:(\d+)`).exec(stack)?.[1];
  const isNamed = error instanceof Error && typeof code !== "string" && error.name !== "Error";
  return {
    field,
    // The page links to the code itself.
    message: isNamed ? `${error.name}: ${message}` : withoutLinks(message),
    ...(found !== undefined && { line: Number(found) - linesBefore[field] }),
    ...(typeof code === "string" && { code }),
  };
}
