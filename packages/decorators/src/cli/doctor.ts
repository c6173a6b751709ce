import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { diagnose, remarks } from "../doctor/diagnose.ts";
import { tryFixture } from "../doctor/try-fixture.ts";

/** Returns the exit code: 0 when the program runs, 1 when it does not. */
export function doctor(path: string = "tsconfig.json"): number {
  const tsconfig = resolve(path);
  if (!existsSync(tsconfig)) {
    console.error(`There is no ${tsconfig}. Name your project's: partita doctor path/to/tsconfig.json`);
    return 2;
  }
  console.log(`Trying entity classes with ${tsconfig} …`);
  try {
    const trial = tryFixture(tsconfig);
    for (const remark of remarks(trial.options)) console.log(`  · ${remark}`);
    if (trial.isFine) {
      console.log("  ✓ decorated classes compile, run, and are stored and read back");
      return 0;
    }
    for (const { flag, problem, remedy } of diagnose(trial))
      console.log(`  ✗ ${flag}: ${problem}; ${remedy}`);
    console.log(
      `\nWhat the compiler and the program said:\n${evidence(trial.compilerOutput, trial.runError)}`,
    );
  } catch (error) {
    console.error((error as Error).message);
  }
  return 1;
}

/** The first lines of what went wrong, indented. */
function evidence(compilerOutput: string, runError: string | undefined): string {
  return [compilerOutput, runError ?? ""]
    .flatMap((text) => text.trim().split("\n"))
    .filter((line) => line !== "")
    .slice(0, 12)
    .map((line) => `  ${line}`)
    .join("\n");
}
