import type { CommandLine } from "../command-line.ts";

export function doctor(program: CommandLine): void {
  program
    .command("doctor")
    .summary("Finds the compiler option that is wrong.")
    .description(
      "Compiles a small program with your TypeScript and your compiler options, runs it, and names the flag that is wrong.",
    )
    .argument("[tsconfig.json]", "The file, or its folder.")
    .notes(
      "The program has decorated classes where @partita/decorators is installed, and classes of defineEntity elsewhere.",
      "The exit code is 0 when the program runs, and 1 when it does not.",
    )
    .does(async (args) => (await import("../doctor/doctor.ts")).doctor(args));
}
