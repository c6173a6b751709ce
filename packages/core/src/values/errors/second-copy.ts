import { otherCopy } from "./brand.ts";
import { StateError } from "./state-error.ts";

/**
 * Refuses an object of a copy of this package that does not fit this one.
 *
 * @param what - the object, as a sentence begins with it: `The storage`
 * @throws StateError `package.second-copy`
 */
export function checkCopy(value: unknown, what: string): void {
  const other = otherCopy(value);
  if (other !== undefined)
    throw new StateError("package.second-copy", `${what} cannot be used here. ${other}`);
}
