import type { CommandLine } from "../command-line.ts";

export function completions(program: CommandLine): void {
  program
    .command("completions")
    .summary("Print a completion script for your shell.")
    .description("Print a script that completes the commands of partita and their options in your shell.")
    .argument("<shell>", "bash, zsh or fish.")
    .examples("partita completions fish > partita.fish")
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
