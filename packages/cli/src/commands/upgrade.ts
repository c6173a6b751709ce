import type { CommandLine } from "../command-line.ts";
import { limits, moduleHelp, storageHelp } from "./shared.ts";

export function upgrade(program: CommandLine): void {
  program
    .command("upgrade")
    .summary("Store every row in its current version.")
    .description(
      "Store every row of the module's classes in its current version. You can stop the command and run it again: it continues where it stopped. Several can run at the same time.",
    )
    .argument("<module.js>", moduleHelp)
    .argument("<storage>", storageHelp)
    .option("--dry-run", "Upgrade in memory only.")
    .with(limits("pages worked on concurrently"))
    .examples("partita upgrade places.ts file:places.db --dry-run")
    .notes("The exit code is 1 if rows are left in an older version, and 130 if it was stopped.")
    .does(async (args, options) => (await import("../tables/upgrade.ts")).upgrade(args, options));
}
