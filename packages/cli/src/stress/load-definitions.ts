import type { StressDefinition } from "@partita/testing";
import { loadModule } from "../modules/load-module.ts";

/** A stress test of a module, under the name that it is exported by. */
export interface NamedStress {
  readonly name: string;
  readonly definition: StressDefinition;
}

/** The mark of the package that defines: the module may have a copy of its own. */
const mark = Symbol.for("@partita/testing stress");

/** The stress tests that a module exports, in the order of their names. @throws Error in words for people */
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
