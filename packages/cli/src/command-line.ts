import { Command } from "commander";
import { UsageError } from "./session/usage-error.ts";
import { withoutSecrets } from "./session/without-secrets.ts";

/** Does what a command says. @returns the exit code */
export type Run<Options> = (args: readonly string[], options: Options) => number | Promise<number>;

/** Says what a command takes, and what it does: one file of `commands/` each. */
export type Declare = (program: CommandLine) => void;

/**
 * A command, its arguments and its options. Wrong calls are thrown as `UsageError`, and the exit code of what ran is kept in
 * the program.
 */
export class CommandLine extends Command {
  /** Of what ran. */
  exitCode = 0;

  constructor(name?: string) {
    super(name);
    this.exitOverride();
    this.helpOption("-h, --help", "Says this.");
    this.helpCommand(false);
    this.configureHelp({ helpWidth: 120 });
  }

  /** Puts arguments in the order in which they are parsed. */
  arrange: (args: readonly string[]) => readonly string[] = (args) => args;

  /** What runs, with arguments as they were given and options by their names in camel case. */
  does<Options extends object>(run: Run<Options>): this {
    return this.action(async () => {
      this.root.exitCode = await run(this.args, this.opts<Options>());
    });
  }

  /** Where arguments stand that are neither options nor values of options. */
  placesOf(args: readonly string[]): readonly number[] {
    const own = [this, ...(this.commands as readonly CommandLine[])].flatMap((each) => each.options);
    const withValue = new Set(
      own.filter(({ required }) => required).flatMap(({ short, long }) => [short, long]),
    );
    const end = args.indexOf("--");
    return args.flatMap((arg, at) => {
      if (end !== -1 && at >= end) return at === end ? [] : [at];
      const isOption = arg.startsWith("-") && arg !== "-";
      return isOption || (at > 0 && withValue.has(args[at - 1])) ? [] : [at];
    });
  }

  /** Adds what several commands take. */
  with(add: (command: CommandLine) => void): this {
    add(this);
    return this;
  }

  /** Text below the help: what exit codes mean, what else is to be known. */
  notes(...lines: readonly string[]): this {
    return this.addHelpText("after", `\n${lines.join("\n")}`);
  }

  /** `partita files put`. */
  get path(): string {
    return this.parent === null ? this.name() : `${(this.parent as CommandLine).path} ${this.name()}`;
  }

  private get root(): CommandLine {
    return this.parent === null ? this : (this.parent as CommandLine).root;
  }

  override createCommand(name?: string): CommandLine {
    return new CommandLine(name);
  }

  override error(message: string): never {
    // What was given too much is not repeated: it may be anything.
    const plain = message.replace(/^error: /, "").replace(/( but got \d+): .*$/s, "$1");
    const said = withoutSecrets(plain).replace(/\.?$/, ".");
    throw new UsageError(`${this.path}: ${said} See ${this.path} --help.`);
  }
}
