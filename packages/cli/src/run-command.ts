import { createRequire } from "node:module";
import { commandNames, type CommandName, isCommand, usage, usageOf } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

type Command = (args: readonly string[]) => number | Promise<number>;

/** Each is loaded when it is called: the doctor needs no other package, and the server is for `serve` alone. */
const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  doctor: async () => (await import("./doctor/doctor.ts")).doctor,
  census: async () => (await import("./tables/census.ts")).census,
  upgrade: async () => (await import("./tables/upgrade.ts")).upgrade,
  index: async () => (await import("./tables/index-command.ts")).index,
  verify: async () => (await import("./verify/verify.ts")).verify,
  patterns: async () => (await import("./patterns/patterns.ts")).patterns,
  stress: async () => (await import("./stress/stress.ts")).stress,
  "page-ranges": async () => (await import("./page-ranges/page-ranges.ts")).pageRanges,
  files: async () => (await import("./files/files.ts")).files,
  studio: async () => (await import("./studio/studio.ts")).studio,
  serve: async () => (await import("./serve/serve.ts")).serve,
};

/**
 * Does what the command `partita` does, and prints what it prints.
 *
 * @param args - what follows the command's name: `["census", "dist/model.js", "file:blogs.db"]`
 * @returns the exit code: 0 when all is well, 1 when it is not, 2 when it was called wrongly, 130 when it was stopped
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    // Codes and sentences, no stack: what went wrong is the user's to see.
    console.error(messageOf(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || asksForHelp(name)) return print(usage());
  if (name === "--version") return print(ownVersion());
  if (!isCommand(name))
    throw new UsageError(
      `partita does not know "${name}". It knows ${commandNames.join(", ")}; partita --help says more.`,
    );
  if (args.some(asksForHelp)) return print(usageOf(name));
  const command = await commands[name]();
  return command(args);
}

const asksForHelp = (arg: string): boolean => arg === "--help" || arg === "-h";

function print(text: string): number {
  console.log(text);
  return 0;
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)("@partita/cli/package.json") as {
    readonly version: string;
  };
  return version;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return `The module threw ${typeof error}.`;
  const missing = /^Cannot find package '(@partita\/\w+)'/.exec(error.message)?.[1];
  return missing === undefined ? error.message : `${missing} is not installed: npm install ${missing}`;
}
