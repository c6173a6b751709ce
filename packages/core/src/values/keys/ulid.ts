import { isDate } from "../errors/built-ins.ts";
import { KeyError } from "../errors/key-error.ts";
import type { GeneratingFormat } from "./key-format.ts";
import { textRange } from "./verbatim.ts";

/** Crockford's base 32. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A key format, and a source of new values for it. */
export interface UlidFormat extends GeneratingFormat<string> {
  /**
   * Makes a ULID that sorts after all that this process made before, also within one millisecond.
   *
   * @param at - the time that it starts with; now when absent
   * @throws KeyError `key.invalid-time`
   */
  (at?: Date): string;
}

const nextUlid = ulidSource();

/**
 * A ULID in a key: 26 characters, the first 10 a time in milliseconds, the rest random, so that later ones sort last.
 * `ulid()` makes one. A new entity without a value gets one when it is created or added. Source: github.com/ulid/spec.
 *
 * @example
 * ```ts
 * class Customer extends defineEntity({
 *   table: "Customers",
 *   partitionKey: { tenant: text() },
 *   rowKey: { id: ulid },
 *   properties: { name: text() },
 * }) {}
 * const { id } = context.create(Customer, { tenant: "acme", name: "Ann" });
 * ```
 */
export const ulid: UlidFormat = Object.assign((at?: Date) => nextUlid(at), {
  format: "ulid",
  accepts: "a ULID in upper case, such as 01ARZ3NDEKTSV4RRFFQ69G5FAV",
  width: 26,
  alphabet: digits,
  pattern: "append-only",
  generate: () => nextUlid(),
  encode: (value: string) => (isUlid(value) ? value : undefined),
  decode: (text: string) => (isUlid(text) ? text : undefined),
  accepting: (operand: unknown) => typeof operand === "string",
  plainSchema: { type: "string", pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" },
  range: (operator, operand) => (typeof operand === "string" ? textRange(operator, operand) : "nothing"),
} satisfies GeneratingFormat<string>);

/** 128 bits: the first character holds three of them. */
const pattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const isUlid = (value: unknown): boolean => typeof value === "string" && pattern.test(value);

const maxTime = 2 ** 48 - 1;
const randomLength = 80;

/** A source of ascending ULIDs: each sorts after all that it made before. */
export function ulidSource(): (at?: Date) => string {
  let last = { time: -1, random: 0n };
  return (at = new Date()) => {
    const asked = isDate(at) ? at.getTime() : Number.NaN;
    if (!(asked >= 0 && asked <= maxTime))
      throw new KeyError(
        "key.invalid-time",
        "ulid(at) takes a valid Date of the years 1970 to 10889. Leave it out for the current time.",
      );
    const isLater = asked > last.time;
    const random = isLater ? randomBits() : last.random + 1n;
    // A clock that stops or goes back must not break the order; if the random part is used up, the next millisecond is
    // borrowed.
    const isSpent = random >> BigInt(randomLength) > 0n;
    last = { time: isLater ? asked : last.time + (isSpent ? 1 : 0), random: isSpent ? 0n : random };
    return base32(BigInt(last.time), 10) + base32(last.random, 16);
  };
}

/** Uses the global `crypto`, which is loaded only on first use. */
function randomBits(): bigint {
  const bytes = crypto.getRandomValues(new Uint8Array(randomLength / 8));
  return bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
}

function base32(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest >>= 5n) text = digits.charAt(Number(rest & 31n)) + text;
  return text;
}
