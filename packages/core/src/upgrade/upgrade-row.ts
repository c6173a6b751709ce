import {
  annotationOf,
  type EntityKey,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
  type StoredValue,
} from "../edm/stored-entity.ts";
import { UpgradeError, type UpgradeSubject } from "../errors/upgrade-error.ts";
import type { NamedStep, Shape, StoredType } from "./step.ts";
import { describeStep, type UpgradeChain } from "./upgrades.ts";

/**
 * The row as the last version stores it, its version excepted. The row itself is not touched; properties that no version
 * declares stay, with their types.
 *
 * @param from - the version the row has
 * @throws UpgradeError naming row, version and step
 */
export function upgradeRow(
  { shapes, changes, version }: UpgradeChain,
  row: StoredEntity,
  from: number,
  entity: string,
): StoredEntityDraft {
  const key: EntityKey = { partitionKey: row.PartitionKey, rowKey: row.RowKey };
  const draft: StoredEntityDraft = { ...row };
  for (let next = from + 1; next <= version; next++) {
    const change = changes[next - 2];
    const [before, after] = [shapes[next - 2], shapes[next - 1]] as [Shape, Shape];
    const edit = new RowEdit(draft, { entity, key }, next);
    if (change?.type === "free") edit.convertAll(before, after, change.convert, key);
    else {
      let shape = before;
      for (const step of change?.steps ?? []) shape = edit.apply(step, shape);
    }
  }
  return draft;
}

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

  /** Makes the step, and returns the shape after it. */
  apply(step: NamedStep, shape: Shape): Shape {
    const { [nameOf(step)]: type, ...others } = shape as Record<string, StoredType>;
    switch (step.op) {
      case "rename":
        this.#give(step, step.to, this.#take(step.from));
        return { ...others, [step.to]: type as StoredType };
      case "add":
        // A row that has the property already was written by somebody who knew of it.
        if (this.#row[step.name] === undefined)
          this.#give(step, step.name, this.#encode(step, step.type, step.value));
        return { ...shape, [step.name]: step.type };
      case "remove":
        this.#take(step.name);
        return others;
      case "retype": {
        const value = this.#decode(step, type, step.from);
        this.#take(step.from);
        if (value !== undefined)
          this.#convert(step, { [step.to]: step.type }, (convert) => ({ [step.to]: convert(value) }));
        return { ...others, [step.to]: step.type };
      }
      case "split": {
        const value = this.#decode(step, type, step.from);
        this.#take(step.from);
        if (value !== undefined) this.#convert(step, step.into, (convert) => convert(value) as object);
        return { ...others, ...step.into };
      }
      case "join": {
        const values = Object.fromEntries(
          step.from.map((name) => [name, this.#decode(step, shape[name], name)]),
        );
        for (const name of step.from) this.#take(name);
        const isAny = Object.values(values).some((value) => value !== undefined);
        if (isAny)
          this.#convert(step, { [step.to]: step.type }, (convert) => ({ [step.to]: convert(values) }));
        const kept = Object.entries(shape).filter(([name]) => !step.from.includes(name));
        return { ...Object.fromEntries(kept), [step.to]: step.type };
      }
      default:
        return step satisfies never;
    }
  }

  /** A whole version by a function over its values; a value that is handed on as it was keeps its every digit. */
  convertAll(
    before: Shape,
    after: Shape,
    convert: (values: object, key: EntityKey) => object,
    key: EntityKey,
  ): void {
    const step = "its function";
    const values: Record<string, unknown> = {};
    for (const [name, type] of Object.entries(before)) values[name] = this.#decode(step, type, name);
    const made = this.#try(step, () => checkMade(convert({ ...values }, key), after));
    for (const [name, type] of Object.entries(after)) {
      const isSame = made[name] === values[name] && before[name]?.serializer === type.serializer;
      if (isSame && name in before) continue;
      const stored = this.#encode(step, type, made[name]);
      if (!(name in before)) this.#give(step, name, stored);
      else {
        this.#take(name);
        this.#put(name, stored);
      }
    }
    for (const name of Object.keys(before)) if (!(name in after)) this.#take(name);
  }

  #convert(step: NamedStep, into: Shape, make: (convert: (value: unknown) => unknown) => object): void {
    const { convert } = step as unknown as { convert: (value: unknown) => unknown };
    const made = this.#try(step, () => make(convert)) as Readonly<Record<string, unknown>>;
    for (const [name, type] of Object.entries(into))
      this.#give(step, name, this.#encode(step, type, made[name]));
  }

  #take(name: string): TakenProperty | undefined {
    const [value, annotation] = [this.#row[name], this.#row[annotationOf(name)]];
    delete this.#row[name];
    delete this.#row[annotationOf(name)];
    return value === undefined ? undefined : { value, annotation };
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

  #decode(step: NamedStep | string, type: StoredType | undefined, name: string): unknown {
    const value = this.#row[name];
    if (value === undefined || type === undefined) return undefined;
    return this.#try(
      step,
      () => type.serializer.decode(value, this.#row[annotationOf(name)], this.#path(name)) as unknown,
    );
  }

  #encode(step: NamedStep | string, { serializer }: StoredType, value: unknown): TakenProperty | undefined {
    if (value === undefined || value === null) return undefined;
    const stored = this.#try(step, () => serializer.encode(value, this.#path("value"))) as StoredValue;
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

/** @throws Error for anything but an object of the version's properties */
function checkMade(made: unknown, shape: Shape): Readonly<Record<string, unknown>> {
  if (typeof made !== "object" || made === null) throw new Error("It returned no object.");
  const other = Object.keys(made).find((name) => !Object.hasOwn(shape, name));
  if (other !== undefined) throw new Error(`It returned "${other}", which its version does not declare.`);
  return made as Readonly<Record<string, unknown>>;
}

interface TakenProperty {
  readonly value: StoredValue;
  readonly annotation: StoredValue | undefined;
}

const nameOf = (step: NamedStep): string =>
  "from" in step && typeof step.from === "string" ? step.from : "name" in step ? step.name : "";

const inWords = (step: NamedStep | string): string => (typeof step === "string" ? step : describeStep(step));
