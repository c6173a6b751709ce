import type { CommandLine } from "../command-line.ts";
import { limits, moduleHelp, storageHelp } from "./shared.ts";

export function index(program: CommandLine): void {
  const group = program
    .command("index")
    .summary("Build, verify or drop an index.")
    .description(
      "Build an index for all stored entities, compare indexes with the entities, or delete the rows of an index. You can stop the command and run it again. Several can build or drop the same index at the same time.",
    )
    .examples("partita index build indexed.js file:places.db byName");
  action(group, "build", "<index>")
    .description("Write the rows of an index for all stored entities, and compare them.")
    .with(limits("pages worked on concurrently"))
    .examples("partita index build indexed.js file:places.db byName")
    .notes(
      "First deploy the declaration to every program that writes. Once every entity has its index row, the index is recorded as",
      "ready in the table PartitaSchema, and queries use it. If the index is already ready, it is compared and repaired.",
      "The exit code is 1 if the index is not complete, and 130 if it was stopped.",
    );
  action(group, "verify", "[index]")
    .description("Compare one index or all indexes with the entities.")
    .option("--repair", "Write rows that are missing or different, and delete extra rows.")
    .examples("partita index verify indexed.js file:places.db --repair")
    .notes(
      "Duplicate values of a unique index are printed with the keys of their entities.",
      "The exit code is 1 if an index differs, and 130 if it was stopped.",
    );
  action(group, "drop", "<index>")
    .description("Delete the rows of an index that is declared as retired.")
    .with(limits("pages worked on concurrently"))
    .examples("partita index drop retired.js file:places.db byName")
    .notes("The exit code is 1 if rows are left, and 130 if it was stopped.");
}

const action = (group: CommandLine, name: "build" | "verify" | "drop", index: string): CommandLine =>
  group
    .command(name)
    .argument("<module.js>", moduleHelp)
    .argument("<storage>", storageHelp)
    .argument(index, "The name of an index.")
    .does(async (args, options) => (await import("../tables/index-command.ts")).index(name, args, options));
