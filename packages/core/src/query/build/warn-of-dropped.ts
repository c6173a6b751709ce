import { callerOf, placeOf } from "../../errors/caller.ts";
import { dropsConditions } from "./drops-conditions.ts";

/** Texts that are remembered at most: programs have fewer callbacks, unless they make them from text. */
const maxTexts = 2_000;

const seenCallbacks = new WeakSet<object>();
/** By length: to compare texts takes a tenth of the time that their hashes for a set take. */
const seenTexts = new Map<number, string[]>();
let textCount = 0;

/**
 * Warns, once for each callback, where one joins conditions by `||`: the second is never made, so that nothing else shows
 * that it is missing. The warning has the code `PARTITA_WHERE_OR`.
 *
 * @param method - the name of the target's method that was given the callback; the warning names the line that called it
 */
export function warnOfDropped<Target extends object>(
  callback: object,
  target: Target,
  method: keyof Target & string,
): void {
  if (isSeen(callback) || !dropsConditions(Function.prototype.toString.call(callback))) return;
  process.emitWarning(
    `A callback of ${method}() joins conditions by || or ??, which keep the first and drop the second, at ${placeOf(callerOf(target, method))}. ` +
      `Write a.or(b). The lint rule partita/no-condition-operators of @partita/core/lint finds all such places.`,
    { type: "PartitaWarning", code: "PARTITA_WHERE_OR" },
  );
}

/** A function that was made once is known itself; one that is made again for each query, by its text. */
function isSeen(callback: object): boolean {
  if (seenCallbacks.has(callback)) return true;
  const text = Function.prototype.toString.call(callback);
  const ofLength = seenTexts.get(text.length) ?? [];
  if (ofLength.includes(text)) return true;
  if (textCount >= maxTexts) return true;
  textCount++;
  seenTexts.set(text.length, [...ofLength, text]);
  seenCallbacks.add(callback);
  return false;
}
