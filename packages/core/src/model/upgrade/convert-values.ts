import type { EntityKey, StoredEntity, StoredValue } from "../../values/edm/stored-entity.ts";
import type { AnySerializer, SnapshotValue } from "../../values/edm/serializer.ts";
import { alsoReads } from "../../values/edm/also-reads.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { UpgradeError, type UpgradeSubject } from "../../values/errors/upgrade-error.ts";
import type { AddStep, JoinStep, NamedStep, RetypeStep, Shape, SplitStep, StoredType } from "./step.ts";
import { describeStep, type UpgradeChain, type VersionChange } from "./upgrades.ts";

/** A stored value and its type, as a row has them. */
export interface StoredProperty {
  readonly value: StoredValue;
  readonly annotation: StoredValue | undefined;
}

/** A change whose values only a function of its class knows. */
export type Conversion =
  | RetypeStep
  | SplitStep
  | JoinStep
  | (VersionChange & { readonly type: "free" } & {
      readonly op: "free";
      readonly before: Shape;
      readonly after: Shape;
    });

/** Where a change is applied. */
export interface ChangeContext {
  readonly row: StoredEntity;
  /** The name of the class, for messages. */
  readonly entity: string;
  /** The version it leads to. */
  readonly version: number;
}

/** The types of all names right before a step. */
export type Types = ReadonlyMap<string, StoredType>;

/** One step of a change, be it named or a function over all values, and the types right before it. */
export interface ChangeStep {
  readonly step: NamedStep | Conversion;
  readonly types: Types;
}

/** The steps that lead to a version from the one before it. */
export function stepsTo({ changes, shapes }: UpgradeChain, version: number): readonly ChangeStep[] {
  const change = changes[version - 2] as VersionChange;
  const [before, after] = [shapes[version - 2], shapes[version - 1]] as [Shape, Shape];
  return change.type === "free"
    ? [{ step: { ...change, op: "free", before, after } as const, types: new Map(Object.entries(before)) }]
    : withTypes(change.steps, before);
}

function withTypes(steps: readonly NamedStep[], before: Shape): readonly ChangeStep[] {
  let types = new Map(Object.entries(before));
  return steps.map((step) => {
    const now = types;
    types = new Map(now);
    const former = step.op === "rename" ? now.get(step.from) : undefined;
    for (const [name, type = former] of Object.entries(targetsOf(step))) if (type) types.set(name, type);
    return { step, types: now };
  });
}

/** The names whose values a step reads, and which it takes away. */
export function sourcesOf(step: NamedStep | Conversion): readonly string[] {
  switch (step.op) {
    case "free":
      return Object.keys(step.before);
    case "join":
      return step.from;
    case "add":
      return [];
    case "remove":
      return [step.name];
    default:
      return [step.from];
  }
}

/** The names that a step gives, with the types that it says of them. */
export function targetsOf(step: NamedStep | Conversion): Readonly<Record<string, StoredType | undefined>> {
  switch (step.op) {
    case "free":
      return step.after;
    case "split":
      return step.into;
    case "add":
      return { [step.name]: step.type };
    case "remove":
      return {};
    case "rename":
      return { [step.to]: undefined };
    default:
      return { [step.to]: step.type };
  }
}

/**
 * What a conversion makes of the properties it reads, in the order of `targetsOf`; nothing of none.
 *
 * @param found - in the order of `sourcesOf`
 * @throws UpgradeError naming row, version and step
 */
export function convertProperties(
  conversion: Conversion,
  types: Types,
  found: readonly (StoredProperty | undefined)[],
  context: ChangeContext,
): readonly (StoredProperty | undefined)[] {
  const read = sourcesOf(conversion).map((name, i) =>
    readProperty(conversion, types.get(name), name, found[i], context),
  );
  if (conversion.op !== "free" && read.every(({ value }) => value === undefined)) return [];
  const into = targetsOf(conversion) as Shape;
  const made = attempt(conversion, context, () => checkMade(callConversion(conversion, read, context), into));
  return Object.entries(into).map(([name, type]) => {
    const isMissing = made[name] === undefined || made[name] === null;
    if (conversion.op !== "free" && isRequired(type) && isMissing)
      throw UpgradeError.stepFailed(subjectOf(context), context.version, inWords(conversion), noValue(name));
    return storeProperty(conversion, type, made[name], read, context);
  });
}

/** What fills new entities says nothing of rows. */
const isRequired = ({ presence }: StoredType): boolean => presence === "required" || presence === "filled";

function callConversion(
  conversion: Conversion,
  read: readonly ReadProperty[],
  { row }: ChangeContext,
): unknown {
  const convert = conversion.convert as (values: unknown, key?: EntityKey) => unknown;
  const first = read[0]?.value;
  switch (conversion.op) {
    case "retype":
      return { [conversion.to]: convert(first) };
    case "split":
      return convert(first);
    case "join":
      return { [conversion.to]: convert(valuesOf(read)) };
    case "free":
      return convert(valuesOf(read), keyOf(row));
    default:
      return conversion satisfies never;
  }
}

const valuesOf = (read: readonly ReadProperty[]): object =>
  Object.fromEntries(read.map(({ name, value }) => [name, value]));

const keyOf = ({ PartitionKey, RowKey }: StoredEntity): EntityKey => ({
  partitionKey: PartitionKey,
  rowKey: RowKey,
});

/** What a step adds to rows that lack it. @throws UpgradeError when the value is not one of its type */
export const addedBy = (step: AddStep, context: ChangeContext): StoredProperty | undefined =>
  encode(step, step.type, step.value, context);

/** The error for a row that has a property of a name that a change would give to another. */
export const nameTaken = (
  change: NamedStep | Conversion,
  name: string,
  context: ChangeContext,
): UpgradeError => UpgradeError.nameTaken(subjectOf(context), context.version, inWords(change), name);

/** A value that a conversion may hand on. */
interface ReadProperty {
  readonly name: string;
  readonly value: unknown;
  readonly stored?: StoredProperty;
  readonly serializer?: AnySerializer;
  readonly snapshotValue?: SnapshotValue;
}

/** What reads values of a type, those of other EDM types included that it allows. */
const serializerOf = ({ serializer, otherTypes }: StoredType): AnySerializer =>
  otherTypes.length === 0 ? serializer : alsoReads(serializer, otherTypes);

/** A value as it is read, and what shows whether it was changed since. */
function readProperty(
  step: NamedStep | Conversion,
  type: StoredType | undefined,
  name: string,
  stored: StoredProperty | undefined,
  context: ChangeContext,
): ReadProperty {
  if (stored === undefined || type === undefined)
    return { name, value: type?.presence === "default" ? type.defaultValue : undefined };
  const serializer = serializerOf(type);
  const value: unknown = attempt(
    step,
    context,
    () => serializer.decode(stored.value, stored.annotation, pathOf(context, name)) as unknown,
  );
  const snapshotValue = serializer.keep(stored.value, value, stored.annotation);
  return { name, value, stored, serializer: type.serializer, snapshotValue };
}

/** A value that was read and handed on as it was is stored in its every digit, be it under another name. */
function storeProperty(
  step: NamedStep | Conversion,
  type: StoredType,
  value: unknown,
  read: readonly ReadProperty[],
  context: ChangeContext,
): StoredProperty | undefined {
  const same = read.find((each) => each.value === value && each.serializer === type.serializer);
  const isSame = same?.stored?.annotation === undefined || same.stored.annotation === type.serializer.edm;
  if (same?.stored !== undefined && isSame && type.serializer.isUnchanged(same.snapshotValue, value))
    return same.stored;
  return encode(step, type, value, context);
}

function encode(
  step: NamedStep | Conversion,
  { serializer }: StoredType,
  value: unknown,
  context: ChangeContext,
): StoredProperty | undefined {
  if (value === undefined || value === null) return undefined;
  const stored = attempt(step, context, () => serializer.encode(value, pathOf(context, "value")));
  return { value: stored, annotation: serializer.isAnnotated(stored) ? serializer.edm : undefined };
}

function attempt<Result>(step: NamedStep | Conversion, context: ChangeContext, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw UpgradeError.stepFailed(subjectOf(context), context.version, inWords(step), cause);
  }
}

const subjectOf = ({ row, entity }: ChangeContext): UpgradeSubject => ({ entity, key: keyOf(row) });

const pathOf = ({ entity }: ChangeContext, property: string): { entity: string; property: string } => ({
  entity,
  property,
});

/** @throws ModelError `model.upgrade-result` for anything but an object of the version's properties */
function checkMade(made: unknown, shape: Shape): Readonly<Record<string, unknown>> {
  if (typeof made !== "object" || made === null) throw badResult("It returned no object.");
  const other = Object.keys(made).find((name) => !Object.hasOwn(shape, name));
  if (other !== undefined) throw badResult(`It returned "${other}", which its version does not declare.`);
  return made as Readonly<Record<string, unknown>>;
}

const noValue = (name: string): ModelError => badResult(`It gave no value for "${name}", which is required.`);

const badResult = (problem: string): ModelError => new ModelError("model.upgrade-result", problem);

const inWords = (change: NamedStep | Conversion): string =>
  change.op === "free" ? "its function" : describeStep(change);
