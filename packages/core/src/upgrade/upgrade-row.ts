import {
  annotationOf,
  type EntityKey,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
  type StoredValue,
} from "../edm/stored-entity.ts";
import type { AnySerializer, Kept } from "../edm/serializer.ts";
import { acceptStoredAs } from "../edm/stored-as.ts";
import { ModelError } from "../errors/model-error.ts";
import { UpgradeError, type UpgradeSubject } from "../errors/upgrade-error.ts";
import type { NamedStep, Shape, StoredType } from "./step.ts";
import { describeStep, type UpgradeChain, type VersionChange } from "./upgrades.ts";

/**
 * The row as the last version stores it, its version excepted. The row itself is not touched; properties that no version
 * declares stay, with their types.
 *
 * @param from - the version the row has
 * @throws UpgradeError naming row, version and step
 */
export function upgradeRow(
  chain: UpgradeChain,
  row: StoredEntity,
  from: number,
  entity: string,
): StoredEntityDraft {
  const draft: StoredEntityDraft = { ...row };
  const subject = { entity, key: { partitionKey: row.PartitionKey, rowKey: row.RowKey } };
  for (let version = from + 1; version <= chain.version; version++) {
    const edit = new RowEdit(draft, subject, version);
    const change = chain.changes[version - 2] as VersionChange;
    const [before, after] = [chain.shapes[version - 2], chain.shapes[version - 1]] as [Shape, Shape];
    if (change.type === "free") edit.convertAll(before, after, change.convert);
    else {
      const types = typesBefore(change.steps, before);
      for (const [i, step] of change.steps.entries()) edit.apply(step, types[i] as Types);
    }
  }
  return withoutAbsent(draft);
}

type Types = ReadonlyMap<string, StoredType>;

const typesOfSteps = new WeakMap<readonly NamedStep[], readonly Types[]>();

/** The types of all names right before each of the steps, worked out once. */
function typesBefore(steps: readonly NamedStep[], before: Shape): readonly Types[] {
  const known = typesOfSteps.get(steps);
  if (known !== undefined) return known;
  let types = new Map(Object.entries(before));
  const all = steps.map((step) => {
    const now = types;
    types = new Map(now);
    if (step.op === "rename") types.set(step.to, now.get(step.from) as StoredType);
    if (step.op === "add") types.set(step.name, step.type);
    if (step.op === "retype" || step.op === "join") types.set(step.to, step.type);
    if (step.op === "split") for (const [name, type] of Object.entries(step.into)) types.set(name, type);
    return now;
  });
  typesOfSteps.set(steps, all);
  return all;
}

/** Members that were taken away leave no trace; deleting them one by one would make a slow object. */
function withoutAbsent(draft: StoredEntityDraft): StoredEntityDraft {
  const row: StoredEntityDraft = { PartitionKey: draft.PartitionKey, RowKey: draft.RowKey };
  for (const name of Object.keys(draft)) if (draft[name] !== undefined) setMember(row, name, draft[name]);
  return row;
}

interface TakenProperty {
  readonly value: StoredValue;
  readonly annotation: StoredValue | undefined;
}

/** A value that a step may hand on. */
interface ReadProperty {
  readonly name: string;
  readonly value: unknown;
  readonly stored?: TakenProperty;
  readonly serializer?: AnySerializer;
  readonly kept?: Kept;
}

const serializers = new WeakMap<StoredType, AnySerializer>();

/** What reads values of a type, those of other EDM types included that it allows. */
function serializerOf(type: StoredType): AnySerializer {
  if (type.otherTypes.length === 0) return type.serializer;
  const known = serializers.get(type) ?? acceptStoredAs(type.serializer, type.otherTypes);
  serializers.set(type, known);
  return known;
}

/** What a constant is stored as, worked out once. */
const addedValues = new WeakMap<NamedStep, TakenProperty>();

/** One version's changes to a row. */
class RowEdit {
  readonly #row: StoredEntityDraft;
  readonly #subject: UpgradeSubject;
  readonly #version: number;

  constructor(row: StoredEntityDraft, subject: UpgradeSubject, version: number) {
    this.#row = row;
    this.#subject = subject;
    this.#version = version;
  }

  apply(step: NamedStep, types: Types): void {
    switch (step.op) {
      case "rename":
        this.#give(step, step.to, this.#take(step.from));
        break;
      case "add":
        // A row that has the property already was written by somebody who knew of it.
        if (this.#row[step.name] === undefined) this.#put(step.name, this.#addedBy(step));
        break;
      case "remove":
        this.#take(step.name);
        break;
      case "retype": {
        const read = this.#read(step, types.get(step.from), step.from);
        this.#take(step.from);
        if (read.value !== undefined)
          this.#convert(step, { [step.to]: step.type }, [read], (convert) => ({
            [step.to]: convert(read.value),
          }));
        break;
      }
      case "split": {
        const read = this.#read(step, types.get(step.from), step.from);
        this.#take(step.from);
        if (read.value !== undefined)
          this.#convert(step, step.into, [read], (convert) => convert(read.value) as object);
        break;
      }
      case "join": {
        const read = step.from.map((name) => this.#read(step, types.get(name), name));
        for (const name of step.from) this.#take(name);
        const values = Object.fromEntries(read.map(({ name, value }) => [name, value]));
        if (read.some(({ value }) => value !== undefined))
          this.#convert(step, { [step.to]: step.type }, read, (convert) => ({ [step.to]: convert(values) }));
        break;
      }
      default:
        step satisfies never;
    }
  }

  /** A whole version by a function over its values. */
  convertAll(before: Shape, after: Shape, convert: (values: object, key: EntityKey) => object): void {
    const step = "its function";
    const read = Object.entries(before).map(([name, type]) => this.#read(step, type, name));
    const values = Object.fromEntries(read.map(({ name, value }) => [name, value]));
    const made = this.#try(step, () => checkMade(convert(values, this.#subject.key), after));
    const stored = Object.entries(after).map(
      ([name, type]) => [name, this.#store(step, type, made[name], read)] as const,
    );
    for (const { name } of read) this.#take(name);
    for (const [name, property] of stored) this.#give(step, name, property);
  }

  #convert(
    step: NamedStep,
    into: Shape,
    read: readonly ReadProperty[],
    make: (convert: (value: unknown) => unknown) => object,
  ): void {
    const { convert } = step as unknown as { convert: (value: unknown) => unknown };
    const made = this.#try(step, () => checkMade(make(convert), into));
    for (const [name, type] of Object.entries(into)) {
      if (type.presence === "required" && (made[name] === undefined || made[name] === null))
        throw UpgradeError.stepFailed(this.#subject, this.#version, describeStep(step), noValue(name));
      this.#give(step, name, this.#store(step, type, made[name], read));
    }
  }

  /** A value as it is read, and what shows whether it was changed since. */
  #read(step: NamedStep | string, type: StoredType | undefined, name: string): ReadProperty {
    const stored = this.#row[name];
    if (stored === undefined || type === undefined)
      return { name, value: type?.presence === "default" ? type.defaultValue : undefined };
    const annotation = this.#row[annotationOf(name)];
    const serializer = serializerOf(type);
    const value: unknown = this.#try(
      step,
      () => serializer.decode(stored, annotation, this.#path(name)) as unknown,
    );
    const kept = serializer.keep(stored, value, annotation);
    return { name, value, stored: { value: stored, annotation }, serializer: type.serializer, kept };
  }

  /** A value that was read and handed on as it was is stored in its every digit, be it under another name. */
  #store(
    step: NamedStep | string,
    type: StoredType,
    value: unknown,
    read: readonly ReadProperty[],
  ): TakenProperty | undefined {
    const same = read.find((each) => each.value === value && each.serializer === type.serializer);
    const isSame = same?.stored?.annotation === undefined || same.stored.annotation === type.serializer.edm;
    if (same?.stored !== undefined && isSame && type.serializer.isUnchanged(same.kept, value))
      return same.stored;
    return this.#encode(step, type, value);
  }

  #addedBy(step: NamedStep & { readonly op: "add" }): TakenProperty | undefined {
    const known = addedValues.get(step);
    if (known !== undefined) return known;
    const stored = this.#encode(step, step.type, step.value);
    if (stored !== undefined) addedValues.set(step, stored);
    return stored;
  }

  #take(name: string): TakenProperty | undefined {
    const value = this.#row[name];
    if (value === undefined) return undefined;
    const annotationName = annotationOf(name);
    const annotation = this.#row[annotationName];
    this.#row[name] = undefined;
    if (annotation !== undefined) this.#row[annotationName] = undefined;
    return { value, annotation };
  }

  #give(step: NamedStep | string, name: string, property: TakenProperty | undefined): void {
    if (this.#row[name] !== undefined)
      throw UpgradeError.nameTaken(this.#subject, this.#version, inWords(step), name);
    this.#put(name, property);
  }

  #put(name: string, property: TakenProperty | undefined): void {
    if (property === undefined) return;
    if (property.annotation !== undefined) setMember(this.#row, annotationOf(name), property.annotation);
    setMember(this.#row, name, property.value);
  }

  #encode(step: NamedStep | string, { serializer }: StoredType, value: unknown): TakenProperty | undefined {
    if (value === undefined || value === null) return undefined;
    const stored = this.#try(step, () => serializer.encode(value, this.#path("value")));
    return { value: stored, annotation: serializer.isAnnotated(stored) ? serializer.edm : undefined };
  }

  #try<Result>(step: NamedStep | string, work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      throw UpgradeError.stepFailed(this.#subject, this.#version, inWords(step), cause);
    }
  }

  #path(property: string): { entity: string; property: string } {
    return { entity: this.#subject.entity, property };
  }
}

/** @throws ModelError `model.upgrade-result` for anything but an object of the version's properties */
function checkMade(made: unknown, shape: Shape): Readonly<Record<string, unknown>> {
  if (typeof made !== "object" || made === null) throw badResult("It returned no object.");
  const other = Object.keys(made).find((name) => !Object.hasOwn(shape, name));
  if (other !== undefined) throw badResult(`It returned "${other}", which its version does not declare.`);
  return made as Readonly<Record<string, unknown>>;
}

const noValue = (name: string): ModelError => badResult(`It gave no value for "${name}", which is required.`);

const badResult = (problem: string): ModelError => new ModelError("model.upgrade-result", problem);

const inWords = (step: NamedStep | string): string => (typeof step === "string" ? step : describeStep(step));
