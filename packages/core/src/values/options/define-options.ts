import { isAbortSignal } from "../errors/built-ins.ts";
import { OptionError } from "../errors/option-error.ts";

/** The values that one option accepts. Any option may be absent or undefined, unless it `isRequired`. */
export interface Check<out Value = unknown> {
  /** The text after "takes" in messages: `true or false`. */
  readonly takes: string;
  readonly accepts: (value: unknown) => boolean;
  /** The values of a fixed list, to find the one that a misspelt value means. */
  readonly known?: readonly string[];
  readonly isRequired?: boolean;
  /** Checks an option that has options itself. @throws OptionError */
  readonly inside?: (value: unknown, call: string) => void;
  /** Never set: the type of the option. */
  readonly value?: Value;
}

/** One check for every option of an interface: if the interface gets an option without a check, it does not compile. */
export type Checks<Options> = {
  readonly [Name in keyof Options]-?: Check<Exclude<Options[Name], undefined>>;
};

/** Refuses wrong options of one call. @throws OptionError with the call, the option and the accepted values */
export type CheckOptions = (options: unknown, call?: string) => void;

/**
 * Declares the options of a call, each with its check. A name without a check is refused, since a misspelt option would
 * otherwise be ignored silently.
 *
 * @param call - as a reader writes it, with the word `options` at their position: `find(Class, key, options)`
 * @param code - of the errors
 */
export function defineOptions<Options extends object>(
  call: string,
  checks: Checks<Options>,
  code: string = "context.option",
): CheckOptions {
  const known = Object.keys(checks);
  const all = Object.entries<Check>(checks);
  return (options = {}, as = call) => {
    // Texts and lists have names too: their positions.
    if (typeof options !== "object" || options === null || Array.isArray(options) || isAbortSignal(options))
      throw OptionError.notAnObject(code, as, options, known);
    for (const name of Object.keys(options))
      if (!Object.hasOwn(checks, name)) throw OptionError.unknownName(code, as, name, known);
    for (const [name, check] of all) {
      const value = (options as Readonly<Record<string, unknown>>)[name];
      if (value === undefined && check.isRequired !== true) continue;
      if (!check.accepts(value)) throw wrongOption(check, placeOf(as, name), value, name, code);
      check.inside?.(value, placeIn(as, name));
    }
  };
}

/** Refuses a wrong argument, such as one of a fixed list of words. @throws OptionError */
export function checkArgument(
  call: string,
  value: unknown,
  check: Check,
  code: string = "context.option",
): void {
  if (!check.accepts(value)) throw wrongOption(check, call, value, undefined, code);
}

/** The error of an option that is wrong only in combination with another one. */
export const refusedOption = (code: string, call: string, option: string, takes: string): OptionError =>
  OptionError.wrongValue(code, placeOf(call, option), { option, takes, given: undefined });

const wrongOption = (
  { takes, known }: Check,
  call: string,
  given: unknown,
  option: string | undefined,
  code: string,
): OptionError => OptionError.wrongValue(code, call, { option, takes, given, known });

/** The position of an option in its call: `find(Class, key, { signal })`. */
const placeOf = (call: string, name: string): string =>
  call.includes("options") ? call.replace("options", `{ ${name} }`) : `${call} { ${name} }`;

/** The position of an option's own options: `new TableContext(storage, { hooks: options })`. */
const placeIn = (call: string, name: string): string => call.replace("options", `{ ${name}: options }`);
