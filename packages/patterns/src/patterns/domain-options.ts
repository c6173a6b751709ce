import {
  accepted,
  type Check,
  checkArgument,
  type CheckOptions,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";
import { notAPattern } from "./pattern-errors.ts";

/** The code of wrong options of patterns and their domains. */
export const patternOption = "pattern.option";

/** Lengths of a text or a list, inclusive. */
export interface LengthOptions {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** A range of values, inclusive. */
export interface RangeOptions<Value> {
  readonly min?: Value | undefined;
  readonly max?: Value | undefined;
}

/** Checks the ends of a range and their order. */
export function checkEnds<Value extends number | bigint>(
  call: string,
  options: RangeOptions<Value>,
  end: Check<Value>,
  [min, max]: readonly [Value, Value],
): readonly [min: Value, max: Value] {
  const check: CheckOptions = defineOptions<RangeOptions<Value>>(
    `${call}(options)`,
    { min: end, max: end },
    patternOption,
  );
  check(options);
  const ends = [options.min ?? min, options.max ?? max] as const;
  if (ends[0] > ends[1]) throw notAPattern(`${call}({ min, max }) takes a min up to its max.`);
  return ends;
}

/** Checks lengths from 0 to a maximum. */
export const checkLengths = (
  call: string,
  options: LengthOptions,
  most: number,
): readonly [min: number, max: number] => checkEnds(call, options, wholeNumber(0), [0, most]);

/** @throws OptionError `pattern.option` */
export const checkPatternArgument = (call: string, value: unknown, check: Check): void =>
  checkArgument(call, value, check, patternOption);

export const aDomain: Check<never> = accepted(
  "a domain, such as anyText()",
  (value) => typeof (value as { accepts?: unknown } | null | undefined)?.accepts === "function",
);
