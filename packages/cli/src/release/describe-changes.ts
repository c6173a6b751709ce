import type { ChangeSeverity, ModelChange } from "@partita/testing";

/** The differences between two models, the worst first, under a title for each severity. */
export function describeChanges(changes: readonly ModelChange[]): string {
  if (changes.length === 0) return "The models are the same.";
  const groups = Map.groupBy(changes, ({ severity }) => severity);
  return [...groups]
    .map(([severity, list]) => [titles[severity], ...list.map(lineOf)].join("\n"))
    .join("\n\n");
}

const titles: Readonly<Record<ChangeSeverity, string>> = {
  "breaks both": "Breaks both releases:",
  "breaks old readers": "Breaks the old release:",
  "breaks new readers": "Breaks the new release:",
  "needs order": "Needs an order:",
  harmless: "Harmless:",
};

const lineOf = ({ entity, table, message }: ModelChange): string => `  ${entity} in ${table}: ${message}`;
