import type { CommandLine } from "../command-line.ts";

export function doctor(program: CommandLine): void {
  program
    .command("doctor")
    .summary("Find a wrong compiler option.")
    .description(
      "Compile a small program with your TypeScript and your compiler options, run it, and print the wrong option.",
    )
    .argument("[tsconfig.json]", "The file, or its folder.")
    .examples("partita doctor tsconfig.json")
    .notes(
      "If @partita/decorators is installed, the program uses decorated classes; otherwise it uses classes of defineEntity.",
      "The exit code is 0 if the program runs, and 1 if it doesn't.",
    )
    .does(async (args) => (await import("../doctor/doctor.ts")).doctor(args));
}
