import { UsageError } from "./usage-error.ts";

/** @throws UsageError for an option, or for more arguments than the command takes */
export function checkArguments(command: string, args: readonly string[], most: number): void {
  const option = args.find((arg) => arg.startsWith("-"));
  if (option !== undefined) throw new UsageError(`partita ${command} has no option ${option}.`);
  const tooMuch = args[most];
  if (tooMuch !== undefined)
    throw new UsageError(`partita ${command} does not take "${tooMuch}": see partita ${command} --help.`);
}
