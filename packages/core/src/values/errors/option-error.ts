import { brand } from "./brand.ts";
import { nearestName } from "./nearest-name.ts";
import { describeType } from "./serialization-error.ts";
import { TableError } from "./table-error.ts";

/**
 * A call got an unknown option, or a value that the option does not take. No work was done. Most have the code
 * `<area>.option`, such as `context.option` or `storage.option`. `details` has the `call`, the `option` and the list
 * `known`, never the value.
 */
export class OptionError extends TableError {
  static {
    brand(this, "OptionError");
  }

  /** The options are not an object. */
  static notAnObject(code: string, call: string, given: unknown, known: readonly string[]): OptionError {
    const problem = `takes its options as an object, but got ${describeType(given)}`;
    return new OptionError(code, `${call} ${problem}. It takes: ${known.join(", ")}.`, { call, known });
  }

  /** There is no option of this name. Long names are cut off in the message. */
  static unknownName(code: string, call: string, option: string, known: readonly string[]): OptionError {
    const message = `${call} does not know "${option.slice(0, 40)}".${meantAs(option, known)} It takes: ${known.join(", ")}.`;
    return new OptionError(code, message, { call, option, known });
  }

  /**
   * The option does not take this value. The message repeats it only if it is close to one of a fixed list, since any
   * other value could be a misplaced secret.
   */
  static wrongValue(code: string, call: string, { option, takes, given, known }: WrongValue): OptionError {
    const meant = typeof given === "string" && known !== undefined ? nearestName(given, known) : undefined;
    const problem = meant === undefined ? "" : ` It does not know "${String(given)}". Did you mean ${meant}?`;
    return new OptionError(code, `${call} takes ${takes}.${problem}`, { call, option, known });
  }
}

interface WrongValue {
  readonly option?: string | undefined;
  /** The accepted values, as text that follows "takes". */
  readonly takes: string;
  readonly given: unknown;
  /** The fixed list of values, if there is one. */
  readonly known?: readonly string[] | undefined;
}

function meantAs(given: string, known: readonly string[]): string {
  const meant = nearestName(given, known);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}
