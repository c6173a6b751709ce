import type { CommandLine } from "../command-line.ts";
import { moduleHelp } from "./shared.ts";

export function snapshotModel(program: CommandLine): void {
  program
    .command("snapshot-model")
    .summary("Print a model as JSON, to compare later.")
    .description(
      "Print the model of a module as JSON: its tables, keys, kinds, properties, versions and indexes. The same model always prints the same text, so you can commit the file of each release.",
    )
    .argument("<module.js>", moduleHelp)
    .examples("partita snapshot-model places.ts > model.json")
    .notes(
      "partita release-check accepts the file as the old release. It contains names and types, but no rows.",
    )
    .does(async (args) => (await import("../release/snapshot-model.ts")).snapshotModel(args));
}
