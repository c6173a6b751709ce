import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { diagnose, remarks } from "./diagnose.ts";
import { referredProjects, tryFixture } from "./try-fixture.ts";

/** `partita doctor`. Returns the exit code: 0 if the program runs, 1 if it doesn't. */
export function doctor(args: readonly string[]): number {
  const [path = "tsconfig.json"] = args;
  const tsconfig = fileOf(resolve(path));
  if (!existsSync(tsconfig)) {
    console.error(
      `There is no ${tsconfig}. Give the path of your project's: partita doctor path/to/tsconfig.json`,
    );
    return 2;
  }
  console.log(`Trying entity classes with ${tsconfig} …`);
  try {
    const [project] = referredProjects(tsconfig);
    if (project !== undefined) {
      console.error(
        `It has no files and only refers to other projects. Choose one: partita doctor ${project}`,
      );
      return 2;
    }
    const trial = tryFixture(tsconfig);
    for (const remark of remarks(trial)) console.log(`  · ${remark}`);
    if (trial.isFine) {
      const classes = trial.hasDecorators ? "decorated classes" : "classes of defineEntity";
      console.log(`  ✓ ${classes} compile, run, and are stored and read back`);
      return 0;
    }
    for (const { flag, problem, remedy } of diagnose(trial))
      console.log(`  ✗ ${flag}: ${problem}; ${remedy}`);
    console.log(
      `\nOutput of the compiler and the program:\n${evidence(trial.compilerOutput, trial.runError)}`,
    );
  } catch (error) {
    console.error((error as Error).message);
  }
  return 1;
}

/** A folder means the configuration in it, as for `tsc -p`. */
function fileOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    ? join(path, "tsconfig.json")
    : path;
}

/** The first lines of the output, indented. */
function evidence(compilerOutput: string, runError: string | undefined): string {
  return [compilerOutput, runError ?? ""]
    .flatMap((text) => text.trim().split("\n"))
    .filter((line) => line !== "")
    .slice(0, 12)
    .map((line) => `  ${line}`)
    .join("\n");
}
