import type { ClassSnapshot, KeySnapshot } from "../snapshot/model-snapshot.ts";
import type { ClassChange } from "./model-change.ts";

/** Compares keys. A row never changes its key, so any difference leads to different rows. */
export const compareKeys = (old: ClassSnapshot, newer: ClassSnapshot): readonly ClassChange[] => [
  ...compareKey("PartitionKey", old.partitionKey, newer.partitionKey),
  ...compareKey("RowKey", old.rowKey, newer.rowKey),
];

function compareKey(key: string, old: KeySnapshot, newer: KeySnapshot): readonly ClassChange[] {
  const [before, after] = [formatsOf(old), formatsOf(newer)];
  if (before.length !== after.length)
    return broken(`The ${key} has ${after.length} parts, but had ${before.length}`);
  const changed = after.findIndex((format, i) => format !== before[i]);
  if (changed >= 0)
    return broken(
      `Part ${changed + 1} of the ${key} is written as ${after[changed] as string}, but was written as ${before[changed] as string}`,
    );
  if (before.length > 1 && old.separator !== newer.separator)
    return broken(
      `The parts of the ${key} are joined by ${JSON.stringify(newer.separator)}, but were joined by ${JSON.stringify(old.separator)}`,
    );
  const renamed = newer.parts.findIndex(({ property }, i) => property !== old.parts[i]?.property);
  if (renamed < 0) return [];
  const names = `${String(old.parts[renamed]?.property)} of the ${key} is now called ${String(newer.parts[renamed]?.property)}`;
  return [
    {
      severity: "harmless",
      message: `${names}: keys contain only values. Check that the parts did not change their order.`,
    },
  ];
}

const formatsOf = ({ parts }: KeySnapshot): readonly string[] =>
  // The name of a kind is compared elsewhere, as a kind.
  parts.map(({ format, property }) => (property === undefined ? "the kind" : format));

const broken = (what: string): readonly ClassChange[] => [
  {
    severity: "breaks both",
    message: `${what}, so neither release finds the other's rows. Keep the key, or move the rows to the new one.`,
  },
];
