import { otherCopy } from "./brand.ts";
import { StateError } from "./state-error.ts";

/**
 * Refuses an object from another copy of this package if the versions of both are incompatible.
 *
 * @param what - the object, as the start of a sentence: `The storage`
 * @throws StateError `package.second-copy`
 */
export function checkCopy(value: unknown, what: string): void {
  const other = otherCopy(value);
  if (other !== undefined)
    throw new StateError("package.second-copy", `${what} cannot be used here. ${other}`);
}
