import type { CommandLine } from "../command-line.ts";
import { port } from "../session/option-values.ts";
import { moduleHelp, storageHelp } from "./shared.ts";

export function studio(program: CommandLine): void {
  program
    .command("studio")
    .summary("Open a web page that shows and edits tables.")
    .description(
      "Serve a web page on this machine that shows and edits the tables of a storage: queries with their plans, rows as forms, conflicts, counts, partition load and upgrades.",
    )
    .usage("[options] [module.js] <storage>")
    .argument("<module.js or storage>", `${moduleHelp} Without a module: the storage.`)
    .argument("[storage]", storageHelp)
    .option("--read-only", "Refuse every change.")
    .option("--port <n>", "Port. If it is taken, the next free one. Default: any free port.", port("--port"))
    .option("--open", "Open the page in your browser.")
    .examples("partita studio places.ts file:places.db")
    .notes(
      "With a module, rows of its classes are shown and edited as entities. All other rows are shown as stored.",
      "It listens on 127.0.0.1, and the printed address contains a token. Anyone with that address can read and change the",
      "storage. Stop it with SIGINT or SIGTERM; unsaved edits are lost. It needs @partita/studio.",
    )
    .does(async (args, options) => (await import("../studio/studio.ts")).studio(args, options));
}
