import type { CommandLine } from "../command-line.ts";
import { existing, exitCodes, limits, storageFirst } from "./shared.ts";

export function restore(program: CommandLine): void {
  storageFirst(program.command("restore"))
    .summary("Restore the tables of a backup.")
    .description(
      "Write the tables of a backup to a storage. The complete file is checked first. If it is damaged or truncated, it is refused and nothing is written.",
    )
    .argument("<file>", "A file written by partita backup.")
    .with(existing)
    .with(limits("transactions sent concurrently"))
    .option("--dry-run", "Check the file and print its contents.")
    .examples("partita restore file:restored.db places.backup")
    .notes(
      "If a table already has rows, nothing is restored, unless you choose another --existing. If a restore was stopped, run it",
      "again with --existing replace.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../backup/restore.ts")).restore(args, options));
}
