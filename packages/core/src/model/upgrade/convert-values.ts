import type { EntityKey, StoredEntity, StoredValue } from "../../values/edm/stored-entity.ts";
import type { AnySerializer, SnapshotValue } from "../../values/edm/serializer.ts";
import { alsoReads } from "../../values/edm/also-reads.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { UpgradeError, type UpgradeSubject } from "../../values/errors/upgrade-error.ts";
import type { AddStep, NamedStep, RemoveStep, StoredType } from "./step.ts";
import type { ChangeStep, Conversion, StepProperty } from "./step-names.ts";
import { describeStep } from "./describe-step.ts";

/** A stored value and its type, as a row has them. */
export interface StoredProperty {
  readonly value: StoredValue;
  readonly annotation: StoredValue | undefined;
}

/** Several of them, by place; undefined where a row has none. */
export type StoredProperties = readonly (StoredProperty | undefined)[];

/** Where a step is applied. */
export interface ChangeContext {
  readonly row: Pick<StoredEntity, "PartitionKey" | "RowKey">;
  /** The name of the class, for messages. */
  readonly entity: string;
  /** The version it leads to. */
  readonly version: number;
}

/** The two directions of a step. */
type Direction = "convert" | "back";

/**
 * What a conversion makes of the properties it reads, in the order of `gives`; nothing of none.
 *
 * @param found - in the order of `reads`
 * @throws UpgradeError naming row, version and step
 */
export function convertProperties(
  conversion: ChangeStep<Conversion>,
  found: StoredProperties,
  context: ChangeContext,
): StoredProperties {
  const { step, reads, gives } = conversion;
  const read = readAll(step, "convert", reads, found, context);
  if (step.op !== "free" && read.every(({ value }) => value === undefined)) return [];
  const made = storeAll(step, "convert", gives, read, context);
  return step.back === undefined || step.op !== "free"
    ? made
    : gives.map((property, i) => {
        const at = reads.findIndex(({ name }) => name === property.name);
        return at < 0 ? made[i] : shared(step, property, made[i], found[at], context);
      });
}

/** A property that both versions store under one name. */
function shared(
  step: Conversion,
  { name, type }: StepProperty,
  made: StoredProperty | undefined,
  found: StoredProperty | undefined,
  context: ChangeContext,
): StoredProperty | undefined {
  if (isSameValue(type, made, found, context)) return found;
  const problem = `It gave "${name}" another value, although releases of both versions store it under this name. Give the new value another name.`;
  return attempt(step, "convert", context, () => {
    throw badResult(problem);
  });
}

/**
 * What the way back of a conversion makes of the properties that it gave, in the order of `reads`.
 *
 * @param made - in the order of `gives`
 * @throws UpgradeError naming row, version and step
 */
export function revertProperties(
  { step, reads, gives }: ChangeStep<Conversion>,
  made: StoredProperties,
  context: ChangeContext,
): StoredProperties {
  return storeAll(step, "back", reads, readAll(step, "back", gives, made, context), context);
}

/** The same for decoded values: in the order of `gives`, and of `reads`. */
export function revertValues(
  { step, reads, gives }: Pick<ChangeStep<Conversion>, "step" | "reads" | "gives">,
  values: readonly unknown[],
  row: ChangeContext["row"],
): readonly unknown[] {
  const given = gives.map(({ name }, i) => ({ name, value: values[i] }));
  const made = checkMade(call(step, "back", given, { row }), reads);
  return reads.map(({ name }) => made[name]);
}

/** What fills new entities says nothing of rows. */
export const isRequired = ({ presence }: StoredType): boolean =>
  presence === "required" || presence === "filled";

function readAll(
  step: Conversion,
  direction: Direction,
  properties: readonly StepProperty[],
  found: StoredProperties,
  context: ChangeContext,
): ReadProperty[] {
  return attempt(step, direction, context, () =>
    properties.map(({ name, type }, i) => readProperty(type, name, found[i], context)),
  );
}

function storeAll(
  step: Conversion,
  direction: Direction,
  into: readonly StepProperty[],
  read: readonly ReadProperty[],
  context: ChangeContext,
): StoredProperties {
  return attempt(step, direction, context, () => {
    const made = checkMade(call(step, direction, read, context), into);
    return into.map(({ name, type }) => {
      if (type === undefined) return undefined;
      const isNeeded = (step.op !== "free" || direction === "back") && isRequired(type);
      if (isNeeded && isMissing(made[name])) throw noValue(name);
      return storeProperty(type, made[name], read, context);
    });
  });
}

/** Whether a property has no value. */
export const isMissing = (value: unknown): boolean => value === undefined || value === null;

function call(
  conversion: Conversion,
  direction: Direction,
  read: readonly ReadProperty[],
  { row }: Pick<ChangeContext, "row">,
): unknown {
  const convert = conversion[direction] as (values: unknown, key?: EntityKey) => unknown;
  const [isOneIn, isOneOut] = arityOf(conversion, direction);
  const made = convert(isOneIn ? read[0]?.value : valuesOf(read), keyOf(row));
  return isOneOut === undefined ? made : { [isOneOut]: made };
}

/** Whether a function takes a value of its own instead of several by name; and the name of the one value that it returns, if so. */
function arityOf(conversion: Conversion, direction: Direction): readonly [boolean, string | undefined] {
  const isForward = direction === "convert";
  switch (conversion.op) {
    case "retype":
      return [true, isForward ? conversion.to : conversion.from];
    case "split":
      return isForward ? [true, undefined] : [false, conversion.from];
    case "join":
      return isForward ? [false, conversion.to] : [true, undefined];
    case "free":
      return [false, undefined];
    default:
      return conversion satisfies never;
  }
}

const valuesOf = (read: readonly ReadProperty[]): object =>
  Object.fromEntries(read.map(({ name, value }) => [name, value]));

const keyOf = ({ PartitionKey, RowKey }: ChangeContext["row"]): EntityKey => ({
  partitionKey: PartitionKey,
  rowKey: RowKey,
});

/** What a step adds to rows that lack it. @throws UpgradeError when the value is not one of its type */
export const addedBy = (step: AddStep, context: ChangeContext): StoredProperty | undefined =>
  attempt(step, "convert", context, () => encode(step.type, step.value, context));

/** What a dropped property is in new rows, for releases that know it. @throws UpgradeError when the value is not one of its type */
export const droppedBy = (
  step: RemoveStep,
  type: StoredType,
  context: ChangeContext,
): StoredProperty | undefined => attempt(step, "back", context, () => encode(type, step.back?.(), context));

/** Whether two stored properties are the same in every digit. */
export const isSameProperty = (a: StoredProperty | undefined, b: StoredProperty | undefined): boolean =>
  a === b || (a?.value === b?.value && a?.annotation === b?.annotation);

/** Whether two stored properties mean the same, compared as decoded values of their type. */
export function isSameValue(
  type: StoredType | undefined,
  a: StoredProperty | undefined,
  b: StoredProperty | undefined,
  context: ChangeContext,
): boolean {
  if (isSameProperty(a, b)) return true;
  if (type === undefined) return false;
  const [one, other] = [a, b].map((each) => readProperty(type, "value", each, context));
  if (one?.stored === undefined || other?.stored === undefined) return one?.value === other?.value;
  return type.serializer.isUnchanged(one.snapshotValue, other.value);
}

/** A value that a conversion may hand on. */
interface ReadProperty {
  readonly name: string;
  readonly value: unknown;
  readonly stored?: StoredProperty;
  readonly serializer?: AnySerializer;
  readonly snapshotValue?: SnapshotValue;
}

/** What reads values of a type, those of other EDM types included that it allows. */
export const readerOf = ({ serializer, otherTypes }: StoredType): AnySerializer =>
  otherTypes.length === 0 ? serializer : alsoReads(serializer, otherTypes);

/** A value as it is read, and what shows whether it was changed since. */
function readProperty(
  type: StoredType | undefined,
  name: string,
  stored: StoredProperty | undefined,
  context: ChangeContext,
): ReadProperty {
  if (stored === undefined || type === undefined)
    return { name, value: type?.presence === "default" ? type.defaultValue : undefined };
  const serializer = readerOf(type);
  const value = serializer.decode(stored.value, stored.annotation, pathOf(context, name)) as unknown;
  const snapshotValue = serializer.keep(stored.value, value, stored.annotation);
  return { name, value, stored, serializer: type.serializer, snapshotValue };
}

/** If a value was read and not changed, all its digits are stored, even under another name. */
function storeProperty(
  type: StoredType,
  value: unknown,
  read: readonly ReadProperty[],
  context: ChangeContext,
): StoredProperty | undefined {
  const same = read.find((each) => each.value === value && each.serializer === type.serializer);
  const isSame = same?.stored?.annotation === undefined || same.stored.annotation === type.serializer.edm;
  if (same?.stored !== undefined && isSame && type.serializer.isUnchanged(same.snapshotValue, value))
    return same.stored;
  return encode(type, value, context);
}

function encode(
  { serializer }: StoredType,
  value: unknown,
  context: ChangeContext,
): StoredProperty | undefined {
  if (isMissing(value)) return undefined;
  const stored = serializer.encode(value, pathOf(context, "value"));
  return { value: stored, annotation: serializer.isAnnotated(stored) ? serializer.edm : undefined };
}

function attempt<Result>(
  step: NamedStep | Conversion,
  direction: Direction,
  context: ChangeContext,
  work: () => Result,
): Result {
  try {
    return work();
  } catch (cause) {
    const { row, entity, version } = context;
    const subject: UpgradeSubject = { entity, key: keyOf(row) };
    throw direction === "back"
      ? UpgradeError.backFailed(subject, version - 1, inWords(step), cause)
      : UpgradeError.stepFailed(subject, version, inWords(step), cause);
  }
}

const pathOf = ({ entity }: ChangeContext, property: string): { entity: string; property: string } => ({
  entity,
  property,
});

/** @throws ModelError `model.upgrade-result` for anything but an object of the version's properties */
function checkMade(made: unknown, into: readonly StepProperty[]): Readonly<Record<string, unknown>> {
  if (typeof made !== "object" || made === null) throw badResult("It returned no object.");
  const other = Object.keys(made).find((name) => !into.some((each) => each.name === name));
  if (other !== undefined) throw badResult(`It returned "${other}", which its version does not declare.`);
  return made as Readonly<Record<string, unknown>>;
}

const noValue = (name: string): ModelError => badResult(`It gave no value for "${name}", which is required.`);

const badResult = (problem: string): ModelError => new ModelError("model.upgrade-result", problem);

/** A step, for messages. */
const inWords = (change: NamedStep | Conversion): string =>
  change.op === "free" ? "its function" : describeStep(change);
