import { styleText } from "node:util";
import { Command } from "commander";
import { UsageError } from "./session/usage-error.ts";
import { withoutSecrets } from "./session/without-secrets.ts";

/** Runs a command. @returns the exit code */
export type Run<Options> = (args: readonly string[], options: Options) => number | Promise<number>;

/** Declares the arguments, options and action of a command: one file of `commands/` each. */
export type Declare = (program: CommandLine) => void;

const always = { validateStream: false } as const;

/**
 * A command with its arguments and options. Usage errors are thrown as `UsageError`. The program stores the
 * exit code of the command that ran.
 */
export class CommandLine extends Command {
  /** Exit code of the command that ran. */
  exitCode = 0;

  constructor(name?: string) {
    super(name);
    this.exitOverride();
    this.helpOption("-h, --help", "Show help.");
    this.helpCommand(false);
    this.configureHelp({
      helpWidth: 120,
      // Commander removes colours outside a terminal, and if NO_COLOR is set.
      styleTitle: (title) => styleText("bold", title, always),
      styleCommandText: (text) => styleText("cyan", text, always),
      styleSubcommandText: (text) => styleText("cyan", text, always),
      styleOptionText: (text) => styleText("green", text, always),
      styleArgumentText: (text) => styleText("yellow", text, always),
    });
  }

  /** Complete calls that the help shows. */
  readonly exampleCalls: string[] = [];

  /** Puts arguments into the order of parsing. */
  arrange: (args: readonly string[]) => readonly string[] = (args) => args;

  /** Sets the action. It receives the arguments as given, and the options under camel-case names. */
  does<Options extends object>(run: Run<Options>): this {
    return this.action(async () => {
      this.root.exitCode = await run(this.args, this.opts<Options>());
    });
  }

  /** The indexes of arguments that are neither options nor values of options. */
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

  /** Adds options that several commands share. */
  with(add: (command: CommandLine) => void): this {
    add(this);
    return this;
  }

  /** Adds complete calls to the help. */
  examples(...calls: readonly string[]): this {
    this.exampleCalls.push(...calls);
    const lines = calls.map((call) => `  ${call}`);
    return this.addHelpText(
      "after",
      ({ command }) =>
        `\n${command.createHelp().styleTitle(calls.length === 1 ? "Example:" : "Examples:")}\n${lines.join("\n")}`,
    );
  }

  /** Text after the help: exit codes and other facts. */
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

  get #hasKeys(): boolean {
    return this.registeredArguments.some((argument) => argument.name() === "PartitionKey");
  }

  override createCommand(name?: string): CommandLine {
    return new CommandLine(name);
  }

  override error(message: string): never {
    // Extra arguments are not repeated, because they may contain secrets.
    const plain = message
      .replace(/^error: /, "")
      .replace(/( but got \d+): .*$/s, "$1")
      .replace(/\n\(Did you mean (.*)\?\)$/, ". Did you mean $1?");
    const said = withoutSecrets(plain).replace(/([^.?])$/, "$1.");
    const hint =
      this.#hasKeys && / '-[^-]/.test(plain) ? " If a key starts with -, write -- before the keys." : "";
    throw new UsageError(`${this.path}: ${said}${hint} See ${this.path} --help.`);
  }
}
