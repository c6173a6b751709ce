import type { CommandLine } from "../command-line.ts";

export function completions(program: CommandLine): void {
  program
    .command("completions")
    .summary("Prints a script that completes commands in a shell.")
    .description("Prints a script by which a shell completes the commands of partita and their options.")
    .argument("<shell>", "bash, zsh or fish.")
    .notes(
      "bash:  partita completions bash > ~/.local/share/bash-completion/completions/partita",
      "zsh:   partita completions zsh > a folder of $fpath, as _partita",
      "fish:  partita completions fish > ~/.config/fish/completions/partita.fish",
    )
    .does(async ([shell = ""]) => {
      const { completionsFor } = await import("../completions/completions.ts");
      const { inSession } = await import("../session/session.ts");
      return inSession(async ({ out }) => {
        await out.write(completionsFor(shell, program));
        return 0;
      });
    });
}
