import type { CommandLine } from "../command-line.ts";
import { port } from "../session/option-values.ts";
import { moduleHelp, storageHelp } from "./shared.ts";

export function studio(program: CommandLine): void {
  program
    .command("studio")
    .summary("Serves a page that shows and edits tables.")
    .description(
      "Serves a page on this machine that shows and edits the tables of a storage: queries with their plans, rows as forms, conflicts, counts, heat and upgrades.",
    )
    .usage("[options] [module.js] <storage>")
    .argument("<module.js or storage>", `${moduleHelp} Without one, the storage.`)
    .argument("[storage]", storageHelp)
    .option("--read-only", "Refuses every change.")
    .option("--port <n>", "A port; a free one where it is left out.", port("--port"))
    .option("--open", "Shows the page in the system's browser.")
    .notes(
      "With a module, rows of its classes are shown and edited as these; without one, and in other tables, as they are stored.",
      "It listens on 127.0.0.1, and answers only to the address that it prints, which holds a token: whoever has it reads and",
      "changes the storage. It ends with SIGINT or SIGTERM; edits that were not saved are lost then. It needs @partita/studio.",
    )
    .does(async (args, options) => (await import("../studio/studio.ts")).studio(args, options));
}
