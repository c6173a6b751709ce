import { ModelError } from "../../values/errors/model-error.ts";
import { isMissing, isRequired } from "./convert-values.ts";
import { olderValues } from "./older-values.ts";
import type { NamedStep, Shape, StoredType } from "./step.ts";
import { type ChangeStep, type Conversion, stepsTo } from "./step-names.ts";
import { describeStep } from "./describe-step.ts";
import type { UpgradeChain } from "./upgrade-chain.ts";

/**
 * Whether releases of a version and of all later ones can share rows: for each case that is refused, a short history of two
 * releases loses a write.
 *
 * @throws ModelError `model.supports`, naming the step and the remedy
 */
export function checkSupports(chain: UpgradeChain, lowest: number): void {
  if (chain.oldest > lowest)
    throw new ModelError(
      "model.supports",
      `supports(${lowest}) says that releases of version ${lowest} write rows, and clean(${chain.oldest}) that there are none. Leave one of them out.`,
      { lowest, clean: chain.oldest },
    );
  const known = new Set(Object.keys(chain.shapes[lowest - 1] as Shape));
  for (let version = lowest + 1; version <= chain.version; version++)
    for (const each of stepsTo(chain, version)) {
      const problem = reusedName(each, known) ?? problemOf(each, version - 1);
      if (problem !== undefined) throw refused(each.step, version, lowest, problem);
      for (const { name } of each.gives) known.add(name);
    }
}

/** A name that an older release reads as something else. */
function reusedName({ reads, gives }: ChangeStep, known: ReadonlySet<string>): string | undefined {
  const other = gives.find(({ name }) => known.has(name) && !reads.some((each) => each.name === name));
  if (other === undefined) return undefined;
  return `it uses "${other.name}" again, which is another property in an older version. Choose another name`;
}

function problemOf(change: ChangeStep, former: number): string | undefined {
  const { step, reads } = change;
  switch (step.op) {
    case "rename":
      return undefined;
    case "add":
      if (step.type.presence !== "optional" || isMissing(step.value)) return undefined;
      return `"${step.name}" is optional, and rows without it read as a value: clearing it would not last. Add it with undefined, or make it required`;
    case "remove":
      if (step.back !== undefined || !isRequired(reads[0]?.type as StoredType)) return undefined;
      return `version ${former} requires "${step.name}", so new rows need a value: remove("${step.name}", { back: () => … })`;
    case "retype":
    case "join":
    case "split":
    case "free":
      return problemOfConversion(change as ChangeStep<Conversion>, former);
    default:
      return step satisfies never;
  }
}

function problemOfConversion(change: ChangeStep<Conversion>, former: number): string | undefined {
  const { step } = change;
  if (step.back === undefined)
    return `it has no way back. Give it one: { back: (…) => … }, which returns the values of version ${former}`;
  if (step.op === "free") return problemOfShared(step);
  if (step.op === "split") return undefined;
  const toOne = change as ChangeStep<ToOne>;
  return problemOfAbsence(toOne, former) ?? problemOfEnum(toOne, former);
}

/** A conversion that gives one value. */
type ToOne = Conversion & { readonly op: "retype" | "join" };

/** Both versions store a property under one name. */
function problemOfShared({ before, after }: Conversion & { readonly op: "free" }): string | undefined {
  const name = Object.keys(before).find(
    (each) => after[each] !== undefined && after[each].serializer.name !== before[each]?.serializer.name,
  );
  if (name === undefined) return undefined;
  return `"${name}" has another type in the version before. Choose another name`;
}

/** The value of a property may be absent where an older version requires one. */
function problemOfAbsence({ step, reads }: ChangeStep<ToOne>, former: number): string | undefined {
  if (step.type.presence !== "optional") return undefined;
  const values = olderValues(step, undefined);
  const required = reads.find(
    ({ name, type }) => isRequired(type as StoredType) && isMissing(values?.[name]),
  );
  if (required !== undefined)
    return `"${step.to}" is optional, and version ${former} requires "${required.name}". Let back(undefined) return a value`;
  if (Object.values(values ?? {}).every(isMissing)) return undefined;
  const again = attempt(() =>
    (step.convert as (value: unknown) => unknown)(step.op === "retype" ? values?.[step.from] : values),
  );
  if (isMissing(again)) return undefined;
  return `clearing "${step.to}" would not last: back(undefined) returns what is converted to another value again. Let the conversion return undefined for it`;
}

/** Each value of an enumeration needs one that the older version can hold. */
function problemOfEnum({ step, reads }: ChangeStep<ToOne>, former: number): string | undefined {
  for (const value of step.type.serializer.values ?? []) {
    const values = olderValues(step, value);
    for (const { name, type } of reads) {
      const { serializer } = type as StoredType;
      const older = values?.[name];
      if (isMissing(older) || serializer.values === undefined || serializer.values.includes(older as string))
        continue;
      return `version ${former} can't hold "${step.to}" ${JSON.stringify(value)}, which back turns into "${name}" ${JSON.stringify(older)}. Map it to one of ${serializer.values.join(", ")}`;
    }
  }
  return undefined;
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const refused = (
  step: NamedStep | Conversion,
  version: number,
  lowest: number,
  problem: string,
): ModelError => {
  const words = step.op === "free" ? "The function" : describeStep(step);
  return new ModelError(
    "model.supports",
    `${words} to version ${version} cannot be shared with releases of version ${lowest}: ${problem}.`,
    { version, lowest },
  );
};
