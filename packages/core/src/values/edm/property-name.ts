/**
 * The maximum number of characters in a property's name. Source: learn.microsoft.com "Understanding the Table service
 * data model".
 */
export const maxNameLength = 255;

/** The first character of a name, and the characters after it: the identifiers of C#. Source: same page. */
const [first, next] = [String.raw`[\p{L}\p{Nl}_]`, String.raw`[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]`];

/** The pattern of a name of any length, for a regular expression with the flag `u`. */
export const namePattern: string = `${first}${next}*`;

/** The pattern of a character that continues a name. */
export const nameCharacter: string = next;

/** Most names have only these characters, which are faster to check. */
const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

/** Created for the first name that needs it: V8 takes a millisecond for Unicode classes. */
let anyName: RegExp | undefined;

function isIdentifier(name: string): boolean {
  if (plainName.test(name)) return true;
  anyName ??= new RegExp(`^${namePattern}$`, "u");
  return name.length <= maxNameLength && anyName.test(name);
}

/**
 * Whether the service accepts this as a property's name: an identifier of at most 255 characters that is not reserved.
 */
export const isPropertyName = (name: string): boolean =>
  isIdentifier(name) && name !== "PartitionKey" && name !== "RowKey" && name !== "Timestamp";

/** A possibly invalid name, for messages: it must not break the line. */
export const shownName = (name: string): string => name.slice(0, 80).replaceAll(/[^\p{L}\p{N}_@. -]/gu, "?");
