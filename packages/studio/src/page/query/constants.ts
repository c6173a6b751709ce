import type { CellType, CellValue } from "../../api/cells.ts";

/** A value as a constant of the query language. Undefined for values that cannot be compared. */
export function constantOf(type: CellType, value: CellValue): string | undefined {
  if (typeof value === "object") return undefined;
  const text = String(value);
  switch (type) {
    case "Int32":
    case "Int64":
    case "Boolean":
      return text;
    case "Double":
      return Number.isFinite(Number(text)) ? text : undefined;
    case "DateTime":
      return `datetime'${text}'`;
    case "Guid":
      return `guid'${text}'`;
    case "String":
      return `'${text.replaceAll("'", "''")}'`;
    case "Binary":
    case "Json":
      return undefined;
    default:
      return type satisfies never;
  }
}

/** An example of a type, to be overwritten. */
export function sampleOf(type: CellType): string {
  switch (type) {
    case "Int32":
    case "Int64":
    case "Double":
      return "0";
    case "Boolean":
      return "true";
    case "DateTime":
      return `datetime'${new Date().toISOString().slice(0, 10)}T00:00:00Z'`;
    case "Guid":
      return "guid'00000000-0000-0000-0000-000000000000'";
    case "Binary":
      return "X''";
    case "String":
    case "Json":
      return "''";
    default:
      return type satisfies never;
  }
}
