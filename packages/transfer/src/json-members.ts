/** Details in the text of a JSON object that its parsed value does not have. */
interface Members {
  /** Number of members in the text, including duplicates. */
  readonly count: number;
  /** Names of members with a whole number written with a point or an exponent: a Double, such as `1.0`. */
  readonly doubles: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/**
 * Reads the members of a well-formed object again from its text. A parsed object has only the last of several
 * members with one name, and 1 for 1.0. Members of nested objects are counted too, but a row has none.
 */
export function membersOf(json: string): Members {
  let doubles: Set<string> | undefined;
  let count = 0;
  for (let start = json.indexOf('"'); start !== -1;) {
    const end = endOfText(json, start);
    const colon = afterSpace(json, end);
    if (json.charCodeAt(colon) === colonCode) {
      count++;
      const value = afterSpace(json, colon + 1);
      if (isDouble(json, value)) (doubles ??= new Set()).add(JSON.parse(json.slice(start, end)) as string);
      start = json.indexOf('"', value);
    } else start = json.indexOf('"', end);
  }
  return { count, doubles: doubles ?? none };
}

/** The position after the closing quotation mark of a text. */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end + 1;
}

/** Whether an odd number of backslashes precedes it. */
function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json.charCodeAt(before - 1) === backslash) before--;
  return (at - before) % 2 === 1;
}

function afterSpace(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) <= space) at++;
  return at;
}

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Whether a whole number written as a Double starts there. */
function isDouble(json: string, at: number): boolean {
  number.lastIndex = at;
  const written = number.exec(json)?.[0];
  return written !== undefined && /[.eE]/.test(written) && Number.isInteger(Number(written));
}

const [colonCode, backslash, space] = [0x3a, 0x5c, 0x20];
