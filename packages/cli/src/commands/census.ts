import type { CommandLine } from "../command-line.ts";
import { moduleHelp, storageHelp } from "./shared.ts";

export function census(program: CommandLine): void {
  program
    .command("census")
    .summary("Count rows by kind, version and shape.")
    .description("Count the rows of the module's tables by kind, version and shape.")
    .argument("<module.js>", moduleHelp)
    .argument("<storage>", storageHelp)
    .examples("partita census places.ts file:places.db")
    .does(async (args) => (await import("../tables/census.ts")).census(args));
}
