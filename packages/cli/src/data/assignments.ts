import { findEdmType, isInRange, isPropertyName, rowProperty, shownName } from "@partita/core/internal";
import { edmTypeOf, typedValue, type TypedValue } from "@partita/core/protocol";
import type { EdmType, StoredEntity } from "@partita/core/storage";
import { UsageError } from "../session/usage-error.ts";

/** `name=value` or `name:Int64=5`. */
export interface Assignment {
  readonly name: string;
  readonly text: string;
  /** Undefined to keep the type that the property has. */
  readonly edm: EdmType | undefined;
}

const types = "String, Int32, Int64, Double, Boolean, DateTime, Guid or Binary";

/** Parses assignments. @throws UsageError */
export function assignmentsOf(texts: readonly string[]): readonly Assignment[] {
  const found = texts.map(assignmentOf);
  const twice = found.find(({ name }, i) => found.findIndex((each) => each.name === name) !== i);
  if (twice !== undefined) throw new UsageError(`${twice.name} is set twice.`);
  return found;
}

function assignmentOf(text: string): Assignment {
  const [, name = "", type, value] = /^([^:=]+)(?::(\w+))?=(.*)$/su.exec(text) ?? [];
  if (value === undefined)
    throw new UsageError("partita set takes assignments: name=value, or name:Int64=5 with a type.");
  if (!isPropertyName(name) || name === rowProperty)
    throw new UsageError(`${shownName(name)} is not a property that you can set.`);
  const edm = type === undefined ? undefined : findEdmType(`Edm.${type}`)?.edm;
  if (type !== undefined && edm === undefined)
    throw new UsageError(`${name} has the type ${shownName(type)}, which tables don't have. Use ${types}.`);
  const assignment = { name, text: value, edm };
  if (edm !== undefined) valueAs(assignment, edm);
  return assignment;
}

/** The value for one row: of the given type, or of the type that its property has. @throws UsageError */
export function valueFor(row: StoredEntity, assignment: Assignment): TypedValue {
  const { name, edm } = assignment;
  if (edm !== undefined) return valueAs(assignment, edm);
  const stored = row[name];
  if (stored === undefined)
    throw new UsageError(
      `Some of the rows have no ${name}, so its type is not known. Add the type: ${name}:String=…, or ${types.slice("String, ".length)}. Nothing was changed.`,
    );
  return valueAs(assignment, edmTypeOf(stored, row[`${name}@odata.type`]));
}

function valueAs({ name, text }: Assignment, edm: EdmType): TypedValue {
  const value = typedValue(edm === "Edm.Boolean" ? booleanOf(text) : text, edm);
  if (value !== undefined && isInRange(value)) return value;
  throw new UsageError(
    `The value for ${name} is not a valid ${edm.replace("Edm.", "")}. Nothing was changed.`,
  );
}

const booleanOf = (text: string): unknown =>
  text === "true" || text === "false" ? text === "true" : undefined;
