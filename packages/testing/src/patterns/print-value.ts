import { isDate } from "@partita/core/internal";

/** Maximum number of printed characters of a text, and values of a list. */
const [maxText, maxValues] = [60, 8];

/** Prints a value in JavaScript syntax; long ones are cut. */
function printValue(value: unknown): string {
  if (typeof value === "string") return printText(value);
  if (typeof value === "bigint") return `${value}n`;
  if (isDate(value)) return `new Date(${JSON.stringify(value)})`;
  if (!Array.isArray(value)) return String(value);
  const shown = value.slice(0, maxValues).map(printValue);
  const left = value.length - shown.length;
  return `[${shown.join(", ")}${left > 0 ? `, … ${left} more` : ""}]`;
}

/** Prints the values of all parameters. */
export const printValues = (values: Readonly<Record<string, unknown>>): string => {
  const members = Object.entries(values).map(([name, value]) => `${name}: ${printValue(value)}`);
  return members.length === 0 ? "no parameters" : `{ ${members.join(", ")} }`;
};

function printText(text: string): string {
  const shown = escapeInvisible(JSON.stringify(text.slice(0, maxText).toWellFormed()));
  return text.length > maxText ? `${shown}… (${text.length.toLocaleString("en")} characters)` : shown;
}

/** Escapes characters that a terminal does not show. */
export const escapeInvisible = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0009\u000b-\u001f\u007f-\u00a0\u2028\u2029\ufff0-\uffff]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
