/** Characters of a property's name at most. Source: learn.microsoft.com "Understanding the Table service data model". */
export const maxNameLength = 255;

/** What a name begins with, and what may follow: the identifiers of C#. Source: same page. */
const [first, next] = [String.raw`[\p{L}\p{Nl}_]`, String.raw`[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]`];

/** The pattern of a name of any length, for a regular expression with the flag `u`. */
export const namePattern: string = `${first}${next}*`;

/** The pattern of a character that would go on with a name. */
export const nameCharacter: string = next;

/** Most names are of these characters, and need none of the others'. */
const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

/** Made for the first name that needs it: V8 takes a millisecond for classes of Unicode. */
let anyName: RegExp | undefined;

function isIdentifier(name: string): boolean {
  if (plainName.test(name)) return true;
  anyName ??= new RegExp(`^${namePattern}$`, "u");
  return name.length <= maxNameLength && anyName.test(name);
}

/** Whether the service takes this as a property's name: an identifier of at most 255 characters, not reserved. */
export const isPropertyName = (name: string): boolean =>
  isIdentifier(name) && name !== "PartitionKey" && name !== "RowKey" && name !== "Timestamp";

/** A name that may be none, for messages: it must not break out of a line. */
export const shownName = (name: string): string => name.slice(0, 80).replaceAll(/[^\p{L}\p{N}_@. -]/gu, "?");
