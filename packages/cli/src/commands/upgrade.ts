import type { CommandLine } from "../command-line.ts";
import { limits, moduleHelp, storageHelp } from "./shared.ts";

export function upgrade(program: CommandLine): void {
  program
    .command("upgrade")
    .summary("Stores every row in its present version.")
    .description(
      "Stores every row of the module's classes in its present version. May be stopped and goes on where it was; several may run at once.",
    )
    .argument("<module.js>", moduleHelp)
    .argument("<storage>", storageHelp)
    .option("--dry-run", "Upgrades in memory only.")
    .with(limits("pages worked at together"))
    .notes("The exit code is 1 when rows are left behind, and 130 when it was stopped.")
    .does(async (args, options) => (await import("../tables/upgrade.ts")).upgrade(args, options));
}
