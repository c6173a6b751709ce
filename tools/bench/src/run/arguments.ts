/** The command line of `pnpm bench`. */
const usage = `pnpm bench [name ...] [--check] [--json <file>]

  name          a benchmark, or the beginning of several; without one, all but growth
  --check       fails if a figure misses its target by more than 15 %
  --json <file> writes what was measured; rows of other benchmarks stay in the file as they are`;

/** Runs only on request, because it takes minutes. */
const onlyWhenNamed: ReadonlySet<string> = new Set(["growth"]);

export interface BenchArguments {
  /** Names of the benchmarks to run. */
  readonly benchmarks: readonly string[];
  readonly isChecked: boolean;
  readonly json: string | undefined;
}

/**
 * Parses the command line.
 *
 * @param known - names of all benchmarks
 * @throws Error with a message for an unknown flag or name
 */
export function parseArguments(args: readonly string[], known: readonly string[]): BenchArguments {
  const names: string[] = [];
  let isChecked = false;
  let json: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    if (arg === "--check") isChecked = true;
    else if (arg === "--json") json = fileAfter(args[++i]);
    else if (arg.startsWith("-")) throw new Error(`There is no flag ${arg}.\n\n${usage}`);
    else names.push(arg);
  }
  for (const name of names)
    if (!known.some((each) => each.startsWith(name)))
      throw new Error(`There is no benchmark "${name}". There are: ${known.join(", ")}.`);
  const isWanted = (each: string): boolean =>
    names.length === 0 ? !onlyWhenNamed.has(each) : names.some((name) => isMeant(name, each, known));
  return { benchmarks: known.filter(isWanted), isChecked, json };
}

function fileAfter(file: string | undefined): string {
  if (file !== undefined && !file.startsWith("-")) return file;
  throw new Error(`--json takes the file to write.\n\n${usage}`);
}

/** A complete name selects one benchmark, even if other names start with it. */
const isMeant = (name: string, each: string, known: readonly string[]): boolean =>
  known.includes(name) ? each === name : each.startsWith(name);
