import { binary, bool, dateTime, double, type EdmType, guid, int32, int64, text } from "@partita/core";
import type { AnyPropertyType } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";
import { annotationOf, edmTypeOf, isSystemName } from "@partita/core/protocol";
import { isReserved } from "./names.ts";

/** A stored property. */
export interface PropertyGuess {
  readonly storedName: string;
  /** Its type in a declaration, without modifiers: `dateTime({ ticks: true })`. */
  readonly code: string;
  readonly type: AnyPropertyType;
  /** The TypeScript type of its values. */
  readonly valueType: string;
  /** The name of its decorator: `DateTime`. */
  readonly decorator: string;
  readonly isOptional: boolean;
  readonly note?: string;
}

/** A property that no class can declare with one type. Its values are preserved. */
export interface UndeclaredProperty {
  readonly storedName: string;
  readonly why: string;
}

/** The properties of one class other than the keys. */
export interface PropertiesGuess {
  readonly declared: readonly PropertyGuess[];
  readonly undeclared: readonly UndeclaredProperty[];
}

type Known = Pick<PropertyGuess, "code" | "type" | "valueType" | "decorator">;

const known: Readonly<Record<EdmType, Known>> = {
  "Edm.String": { code: "text()", type: text(), valueType: "string", decorator: "Text" },
  "Edm.Int32": { code: "int32()", type: int32(), valueType: "number", decorator: "Int32" },
  "Edm.Int64": { code: "int64()", type: int64(), valueType: "bigint", decorator: "Int64" },
  "Edm.Double": { code: "double()", type: double(), valueType: "number", decorator: "Double" },
  "Edm.Boolean": { code: "bool()", type: bool(), valueType: "boolean", decorator: "Bool" },
  "Edm.DateTime": { code: "dateTime()", type: dateTime(), valueType: "Date", decorator: "DateTime" },
  "Edm.Guid": { code: "guid()", type: guid(), valueType: "string", decorator: "Guid" },
  "Edm.Binary": { code: "binary()", type: binary(), valueType: "Uint8Array", decorator: "Binary" },
};

const withTicks: Known = {
  code: "dateTime({ ticks: true })",
  type: dateTime({ ticks: true }),
  valueType: "Ticks",
  decorator: "DateTime",
};

/** The properties of rows of one class, in the order of the rows. */
export function guessProperties(
  rows: readonly StoredEntity[],
  without: ReadonlySet<string>,
): PropertiesGuess {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const declared: PropertyGuess[] = [];
  const undeclared: UndeclaredProperty[] = [];
  for (const name of names) {
    if (isSystemName(name) || without.has(name)) continue;
    const values = rows.flatMap((row) => (row[name] === undefined ? [] : [row]));
    const types = new Set(values.map((row) => typeIn(row, name)));
    const [edm] = widest(types);
    if (isReserved(name))
      undeclared.push({ storedName: name, why: "JavaScript objects use this name themselves" });
    else if (edm === undefined)
      undeclared.push({ storedName: name, why: `it has values of ${[...types].join(" and ")}` });
    else declared.push(propertyOf(name, edm, types, values, values.length < rows.length));
  }
  return { declared, undeclared };
}

/** The one type that can read all values. Empty if there is none. */
function widest(types: ReadonlySet<EdmType>): readonly EdmType[] {
  if (types.size < 2) return [...types];
  const wider = [...types].filter((edm) => edm !== "Edm.Int32");
  return wider.length === 1 && (wider[0] === "Edm.Double" || wider[0] === "Edm.Int64") ? wider : [];
}

const typeIn = (row: StoredEntity, name: string): EdmType =>
  edmTypeOf(row[name] as string, row[annotationOf(name)]);

function propertyOf(
  storedName: string,
  edm: EdmType,
  types: ReadonlySet<EdmType>,
  rows: readonly StoredEntity[],
  isOptional: boolean,
): PropertyGuess {
  const values = rows.map((row) => row[storedName]);
  const isFine = edm === "Edm.DateTime" && values.some((value) => /\.\d{3}\d*[1-9]\d*Z$/.test(String(value)));
  const note = types.size > 1 ? bothTypes(edm) : noteOf(edm, values);
  return {
    storedName,
    ...(isFine ? withTicks : known[edm]),
    isOptional,
    ...(note !== undefined && { note }),
  };
}

const bothTypes = (edm: EdmType): string =>
  `some rows have Edm.Int32, others ${edm}: ${known[edm].code} reads both, and writes ${edm}`;

const noteOf = (edm: EdmType, values: readonly unknown[]): string | undefined =>
  edm === "Edm.String" && values.every(isJson) ? "looks like JSON: json<…>() reads it" : undefined;

function isJson(value: unknown): boolean {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
