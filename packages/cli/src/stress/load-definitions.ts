import type { StressDefinition } from "@partita/testing";
import { loadModule } from "../modules/load-module.ts";

/** A stress test of a module, with its exported name. */
export interface NamedStress {
  readonly name: string;
  readonly definition: StressDefinition;
}

/** The brand of stress tests. It is registered because the module may have its own copy of the package. */
const mark = Symbol.for("@partita/testing stress");

/**
 * The stress tests that a module exports, in the order of their names.
 *
 * @throws Error with a message for users
 */
export async function loadDefinitions(path: string): Promise<readonly NamedStress[]> {
  const module = await loadModule(path);
  const found = Object.entries(module).flatMap(([name, value]): NamedStress[] =>
    isDefinition(value) ? [{ name, definition: value }] : [],
  );
  if (found.length === 0)
    throw new Error(
      `${path} exports no stress test. Export one: export const football = defineStress(Blog, { partition, load }), of @partita/testing.`,
    );
  return found;
}

const isDefinition = (value: unknown): value is StressDefinition =>
  typeof value === "object" && value !== null && (value as { [mark]?: unknown })[mark] === true;
