import type { CommandLine } from "../command-line.ts";
import { moduleHelp } from "./shared.ts";

export function snapshotModel(program: CommandLine): void {
  program
    .command("snapshot-model")
    .summary("Prints a model as JSON, to compare later.")
    .description(
      "Prints the model of a module as JSON: its tables, keys, kinds, properties, versions and indexes. The same model always gives the same text, so you can keep that of each release in your repository.",
    )
    .argument("<module.js>", moduleHelp)
    .notes(
      "partita snapshot-model dist/model.js > model.json",
      "partita release-check takes the file as the old release. It has names and types, and no rows.",
    )
    .does(async (args) => (await import("../release/snapshot-model.ts")).snapshotModel(args));
}
