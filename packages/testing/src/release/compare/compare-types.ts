import type { PropertySnapshot } from "../snapshot/model-snapshot.ts";
import type { ChangeSeverity, ClassChange } from "./model-change.ts";

/** Compares how both releases store a property with the same stored name. */
export function compareTypes(old: PropertySnapshot, newer: PropertySnapshot): readonly ClassChange[] {
  const { storedAs: property } = newer;
  const found = [typeChange(old, newer), presenceChange(old, newer), nameChange(old, newer)];
  return found.flatMap((change) => (change === undefined ? [] : [{ ...change, property }]));
}

function typeChange(old: PropertySnapshot, newer: PropertySnapshot): ClassChange | undefined {
  const { storedAs } = newer;
  if (old.edm !== newer.edm) {
    const severity = severityOf(reads(old, newer), reads(newer, old));
    return {
      severity,
      message: `${storedAs} is stored as ${newer.edm}, and was as ${old.edm}. ${
        severity === "harmless"
          ? "Both releases read both."
          : "Store the new type under another name, by retype with a way back."
      }`,
    };
  }
  if (old.values !== undefined && newer.values !== undefined)
    return valuesChange(storedAs, old.values, newer.values);
  if (old.type === newer.type) return lengthChange(old, newer);
  const severity = severityOf(takesAll(old, newer), takesAll(newer, old));
  return {
    severity,
    message: `${storedAs} is ${newer.type}, but was ${old.type}: the same stored value can have another meaning. Store it under another name.`,
  };
}

/** Services and clients store whole numbers as Int32, so wider types read them. */
const wider: Readonly<Record<string, readonly string[]>> = {
  "Edm.Int64": ["Edm.Int32"],
  "Edm.Double": ["Edm.Int32"],
};

const reads = (reader: PropertySnapshot, writer: PropertySnapshot): boolean =>
  reader.alsoReads === true || wider[reader.edm]?.includes(writer.edm) === true;

/** Plain text accepts every value of an enum. */
const takesAll = (reader: PropertySnapshot, writer: PropertySnapshot): boolean =>
  reader.type === "Text" && writer.values !== undefined;

const severityOf = (oldReads: boolean, newReads: boolean): ChangeSeverity =>
  oldReads ? (newReads ? "harmless" : "breaks new readers") : newReads ? "breaks old readers" : "breaks both";

function valuesChange(
  property: string,
  old: readonly string[],
  newer: readonly string[],
): ClassChange | undefined {
  const added = newer.filter((value) => !old.includes(value));
  const removed = old.filter((value) => !newer.includes(value));
  if (added.length === 0 && removed.length === 0) return undefined;
  const said = [
    added.length > 0 &&
      `now has ${listed(added)}, which the old release cannot read: release the values first, and write them later`,
    removed.length > 0 && `no longer has ${listed(removed)}, which the old release still writes`,
  ].filter((text) => text !== false);
  return {
    severity: severityOf(added.length === 0, removed.length === 0),
    message: `${property} ${said.join("; it ")}.`,
  };
}

const listed = (values: readonly string[]): string => values.map((value) => JSON.stringify(value)).join(", ");

function lengthChange(old: PropertySnapshot, newer: PropertySnapshot): ClassChange | undefined {
  const isNarrower =
    below(newer.maximum, old.maximum) ||
    below(newer.maxLength, old.maxLength) ||
    below(old.minimum, newer.minimum);
  const isWider =
    below(old.maximum, newer.maximum) ||
    below(old.maxLength, newer.maxLength) ||
    below(newer.minimum, old.minimum);
  if (!isNarrower && !isWider) return undefined;
  return {
    severity: severityOf(!isWider, !isNarrower),
    message: `${newer.storedAs} accepts ${isWider ? "more" : "fewer"} values than before, and a release cannot read values outside its range.`,
  };
}

const below = (a: number | undefined, b: number | undefined): boolean =>
  a !== undefined && b !== undefined && a < b;

function presenceChange(old: PropertySnapshot, newer: PropertySnapshot): ClassChange | undefined {
  const [mayLack, mayLackNow] = [isLenient(old), isLenient(newer)];
  const { storedAs } = newer;
  if (!mayLack && newer.presence === "optional")
    return {
      severity: "breaks old readers",
      message: `${storedAs} is optional, but the old release cannot read rows without it. First release it as optional, and leave values out later.`,
    };
  if (old.presence === "optional" && !mayLackNow)
    return {
      severity: "breaks new readers",
      message: `${storedAs} is required, but the old release writes rows without it. Give it a default.`,
    };
  return undefined;
}

const isLenient = ({ presence, hasInitial }: PropertySnapshot): boolean =>
  presence !== "required" || hasInitial === true;

function nameChange(
  { name: before }: PropertySnapshot,
  { name, storedAs }: PropertySnapshot,
): ClassChange | undefined {
  if (before === name) return undefined;
  return {
    severity: "harmless",
    message: `${before} is now called ${name} in the class; it is still stored as ${storedAs}.`,
  };
}
