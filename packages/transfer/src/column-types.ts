// CSV of other programs has columns without types. `CsvReader` asks this file for their types.

import { isInRange, rowProperty } from "@partita/core/internal";
import { type EntityClass, modelOf } from "@partita/core/models";
import { typedValue } from "@partita/core/protocol";
import { OptionError } from "@partita/core";
import type { EdmType } from "@partita/core/storage";

/**
 * The types of CSV columns without types:
 *
 * - `infer`: each column gets the type of its values. `007`, numbers with more digits than a Double, and times
 *   without a time zone are text.
 * - `text`: Edm.String.
 * - classes: the stored types of their properties.
 */
export type ColumnTypes = "infer" | "text" | readonly EntityClass[];

/** How values of a type look, if nothing is lost by reading them as that type. */
const patterns: readonly (readonly [EdmType, RegExp])[] = [
  ["Edm.Boolean", /^(?:true|false)$/i],
  ["Edm.Int32", /^(?:0|-?[1-9]\d*)$/],
  ["Edm.Int64", /^(?:0|-?[1-9]\d*)$/],
  ["Edm.Double", /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i],
  ["Edm.DateTime", /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,7})?)?(?:Z|[+-]\d\d:\d\d)$/],
  ["Edm.Guid", /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i],
  ["Edm.String", /^/],
];

/** Whether text is a value of a type, and nothing is lost by reading it as that type. */
export function isWrittenAs(text: string, edm: EdmType): boolean {
  const pattern = patterns.find(([type]) => type === edm)?.[1];
  if (pattern?.test(text) !== true) return false;
  const typed = typedValue(text, edm);
  return typed !== undefined && isInRange(typed) && (edm !== "Edm.Double" || isExactDouble(text));
}

/** Decimal digits that every Double in its usual range keeps. Source: DBL_DIG of C. */
const exactDigits = 15;

function isExactDouble(text: string): boolean {
  const [mantissa = ""] = text.toLowerCase().split("e");
  const digits = mantissa.replaceAll(/^[-0.]+|\./g, "").length;
  const size = Math.abs(Number(text));
  return digits === 0 || (digits <= exactDigits && size > 1e-300 && size < 1e300);
}

/** The type of a column, from its values. */
export class TypeGuess {
  #possible: readonly EdmType[] = patterns.map(([type]) => type);

  add(text: string): void {
    this.#possible = this.#possible.filter((type) => isWrittenAs(text, type));
  }

  get type(): EdmType {
    return this.#possible[0] ?? "Edm.String";
  }
}

/**
 * The stored types of the properties of classes, by stored names.
 *
 * @throws OptionError `transfer.option` if classes differ; ModelError for a class that is declared wrongly
 */
export function typesOfClasses(classes: readonly EntityClass[]): ReadonlyMap<string, EdmType> {
  const types = new Map<string, EdmType>([[rowProperty, "Edm.String"]]);
  const owners = new Map<string, string>();
  for (const entityClass of classes) {
    const { name, properties, kind, version } = modelOf(entityClass);
    const add = (storedName: string, edm: EdmType): void => {
      const other = types.get(storedName);
      if (other !== undefined && other !== edm)
        throw new OptionError(
          "transfer.option",
          `importTable(storage, table, source, { types }) takes classes that agree: ${storedName} is ${edm} in ${name}, and ${other} in ${owners.get(storedName) ?? "rows of Partita"}. Import the rows of each class from a file of its own, with one class.`,
          { option: "types" },
        );
      types.set(storedName, edm);
      owners.set(storedName, name);
    };
    for (const { storedName, serializer } of properties) add(storedName, serializer.edm as EdmType);
    if (kind?.isStored === true) add(kind.storedName, "Edm.String");
    if (version !== undefined) add(version.storedName, "Edm.Int32");
  }
  return types;
}
