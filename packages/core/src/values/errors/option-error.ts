import { brand } from "./brand.ts";
import { nearestName } from "./nearest-name.ts";
import { describeType } from "./serialization-error.ts";
import { TableError } from "./table-error.ts";

/**
 * A call got an option, or a choice among fixed values, that it does not take. Nothing was done. Most have the code
 * `<area>.option`, such as `context.option` or `storage.option`. `details` has the `call`, the `option` and what is `known`, never the value.
 */
export class OptionError extends TableError {
  static {
    brand(this, "OptionError");
  }

  /** The options are no object. */
  static notAnObject(code: string, call: string, given: unknown, known: readonly string[]): OptionError {
    const problem = `takes its options as an object, but got ${describeType(given)}`;
    return new OptionError(code, `${call} ${problem}. It takes: ${known.join(", ")}.`, { call, known });
  }

  /** There is no option of this name; it is cut off where it is too long for a message. */
  static unknownName(code: string, call: string, option: string, known: readonly string[]): OptionError {
    const message = `${call} does not know "${option.slice(0, 40)}".${meantAs(option, known)} It takes: ${known.join(", ")}.`;
    return new OptionError(code, message, { call, option, known });
  }

  /**
   * The value is not what the option takes. Only a value that is close to one of a fixed list is repeated: any other
   * could be a secret in the wrong place.
   */
  static wrongValue(code: string, call: string, { option, takes, given, known }: WrongValue): OptionError {
    const meant = typeof given === "string" && known !== undefined ? nearestName(given, known) : undefined;
    const problem = meant === undefined ? "" : ` It does not know "${String(given)}". Did you mean ${meant}?`;
    return new OptionError(code, `${call} takes ${takes}.${problem}`, { call, option, known });
  }
}

interface WrongValue {
  readonly option?: string | undefined;
  /** What the option takes, in words that follow "takes". */
  readonly takes: string;
  readonly given: unknown;
  /** The fixed list of values, where there is one. */
  readonly known?: readonly string[] | undefined;
}

function meantAs(given: string, known: readonly string[]): string {
  const meant = nearestName(given, known);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}
