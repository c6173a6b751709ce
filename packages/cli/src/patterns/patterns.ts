import type { DeclaredPatterns } from "@partita/core/models";
import { isPatterns } from "@partita/patterns";
import type * as testing from "@partita/testing";
import { loadModule } from "../modules/load-module.ts";
import { loadPackageOf } from "../modules/load-package.ts";
import { inSession } from "../session/session.ts";

/**
 * `partita patterns`: checks the access patterns of a module. Returns the exit code: 1 if one does not hold.
 */
export const patterns = (
  [path = ""]: readonly string[],
  { json = false }: { readonly json?: boolean },
): Promise<number> =>
  inSession(async ({ out, say }) => {
    const declared = await loadPatterns(path);
    const { checkPatterns, patternTable } = await loadPackageOf<typeof testing>(path, "@partita/testing");
    const checked: testing.CheckedPattern[] = [];
    for (const each of declared) checked.push(...(await checkPatterns(each)));
    await out.line(json ? JSON.stringify(checked.map(toJson), undefined, 2) : patternTable(checked));
    const failures = checked.flatMap(({ failure }) => failure ?? []);
    for (const { message } of failures) say(message);
    if (!json && failures.length === 0) await out.line(summary(checked));
    return failures.length === 0 ? 0 : 1;
  });

/** The results of `definePatterns` that a module exports. */
async function loadPatterns(path: string): Promise<readonly DeclaredPatterns[]> {
  const module = await loadModule(path);
  // A module may export one value under several names.
  const found = [...new Set(Object.values(module))].filter(isPatterns);
  if (found.length === 0)
    throw new Error(
      `${path} exports no access patterns. Give the compiled module that exports the result of definePatterns().`,
    );
  return found;
}

function summary(checked: readonly testing.CheckedPattern[]): string {
  const plans = checked.reduce((sum, each) => sum + each.checked, 0);
  return `\nAll of them hold for the ${plans.toLocaleString("en")} values that were checked.`;
}

/** The JSON of one pattern. `failure` is absent if it holds. */
const toJson = ({ name, checked, plan, use, failure }: testing.CheckedPattern): object => ({
  name,
  checked,
  ...plan,
  requests: plan.requests ?? null,
  partitions: plan.partitions ?? null,
  index: plan.index ?? null,
  ...(use && { use }),
  ...(failure && { failure: { code: failure.code, message: failure.message } }),
});
