import { parseArgs } from "node:util";
import { checkArguments } from "../check-arguments.ts";
import { UsageError } from "../usage-error.ts";

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

const numbers = ["seconds", "from", "to", "target"] as const;

/** Reads the command line. @throws UsageError */
export function readStressArguments(args: readonly string[]): StressArguments {
  const { values, positionals } = parse(args);
  checkArguments("stress", positionals, 1);
  const [module] = positionals;
  const { storage, svg, json } = values;
  if (module === undefined || storage === undefined)
    throw new UsageError(
      "partita stress takes a module that exports defineStress(…), and a storage: partita stress dist/stress.js --storage file:stress.db",
    );
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

function parse(args: readonly string[]) {
  try {
    const text = { type: "string" } as const;
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { storage: text, seconds: text, from: text, to: text, target: text, svg: text, json: text },
    });
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message}\nKnown: --storage target, --seconds n, --from n, --to n, --target n, --svg file, --json file.`,
      { cause: error },
    );
  }
}

function numberOf(flag: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new UsageError(`${flag} takes a number above 0.`);
}
