import { UsageError } from "../session/usage-error.ts";

/** What a command line asks for. */
export interface StressArguments {
  readonly module: string;
  /** For `openStorage`. */
  readonly storage: string;
  readonly seconds?: number;
  readonly from?: number;
  readonly to?: number;
  readonly target?: number;
  /** Files to write. */
  readonly svg?: string;
  readonly json?: string;
}

/** Options as they were given. */
export type StressOptions = Readonly<Record<"storage", string>> &
  Readonly<Partial<Record<(typeof numbers)[number] | "svg" | "json", string>>>;

const numbers = ["seconds", "from", "to", "target"] as const;

/** Reads the numbers. @throws UsageError */
export function readStressArguments(args: readonly string[], values: StressOptions): StressArguments {
  const [module = ""] = args;
  const { storage, svg, json } = values;
  const given = numbers.flatMap((name): [string, number][] => {
    const { [name]: text } = values;
    return text === undefined ? [] : [[name, numberOf(`--${name}`, text)]];
  });
  return {
    module,
    storage,
    ...(Object.fromEntries(given) as Pick<StressArguments, (typeof numbers)[number]>),
    ...(svg !== undefined && { svg }),
    ...(json !== undefined && { json }),
  };
}

function numberOf(flag: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new UsageError(`${flag} takes a number above 0.`);
}
