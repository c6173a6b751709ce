import type { CommandLine } from "../command-line.ts";
import { limits, moduleHelp, storageHelp } from "./shared.ts";

export function index(program: CommandLine): void {
  const group = program
    .command("index")
    .summary("Builds, compares or removes the rows of an index.")
    .description(
      "Builds an index for all entities that are stored, compares indexes with the entities, or removes the rows of one. May be stopped and called again; several may build or drop one index at once.",
    );
  action(group, "build", "<index>")
    .description("Writes the rows of an index for all entities that are stored, and compares them.")
    .with(limits("pages worked at together"))
    .notes(
      "Deploy the declaration first to every program that writes. When every entity has its row, the index is recorded as ready in",
      "the table PartitaSchema, and queries use it. An index that is ready is compared and repaired.",
      "The exit code is 1 when the index is not complete, and 130 when it was stopped.",
    );
  action(group, "verify", "[index]")
    .description("Compares an index, or all of them, with the entities.")
    .option("--repair", "Writes what is missing or different, and removes what is extra.")
    .notes(
      "Values that must be unique and are not are printed with the keys of the entities.",
      "The exit code is 1 when an index differs, and 130 when it was stopped.",
    );
  action(group, "drop", "<index>")
    .description("Removes the rows of an index that is declared as retired.")
    .with(limits("pages worked at together"))
    .notes("The exit code is 1 when rows are left, and 130 when it was stopped.");
}

const action = (group: CommandLine, name: "build" | "verify" | "drop", index: string): CommandLine =>
  group
    .command(name)
    .argument("<module.js>", moduleHelp)
    .argument("<storage>", storageHelp)
    .argument(index, "The name of an index.")
    .does(async (args, options) => (await import("../tables/index-command.ts")).index(name, args, options));
