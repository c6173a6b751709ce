// pnpm bench:versions <checkout> <checkout>: compares the CPU time of saves between two checkouts of this
// repository.
import { parseArgs } from "node:util";
import { amount } from "../print-row.ts";
import { median } from "../statistics.ts";
import { measurePair, type PairCosts } from "./measure-pair.ts";
import { summaryOf } from "./summary.ts";
import { worksNames } from "./works.ts";

const usage = `pnpm bench:versions <baseline> <checkout> [--pairs 12] [--rounds 10]

  <baseline>  the folder of a checkout; <checkout> may be the same one, which shows the noise
  --pairs     pairs of processes; each compiles its code anew, which alone can make a difference of some percent
  --rounds    samples of each process for each kind of save, in turns`;

const { folders, pairs, rounds } = argumentsOrEnd();

const costs = new Map<string, PairCosts[]>(worksNames.map((name) => [name, []]));
for (let pair = 0; pair < pairs; pair++) {
  // The process that starts second may cost more, so each checkout is second in half of the pairs.
  const isSwapped = pair % 2 === 1;
  const measured = await measurePair(isSwapped ? [folders[1], folders[0]] : folders, rounds);
  for (const [name, [a, b]] of measured) costs.get(name)?.push(isSwapped ? [b, a] : [a, b]);
}
console.log(`CPU time, ${folders[1]} over ${folders[0]}: ${pairs} pairs, ${rounds} rounds`);
for (const [name, found] of costs) {
  const { ratio, low, high, error } = summaryOf(found);
  const each = [0, 1].map((i) => amount(median(found.map((one) => median(one[i as 0 | 1]))), "ns"));
  const spread = `${low.toFixed(3)} to ${high.toFixed(3)}`;
  console.log(`  ${ratio.toFixed(3)} ± ${error.toFixed(3)}  (pairs ${spread})  ${each.join(" → ")}  ${name}`);
}

function argumentsOrEnd(): { folders: readonly [string, string]; pairs: number; rounds: number } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { pairs: { type: "string", default: "12" }, rounds: { type: "string", default: "10" } },
    });
    const [baseline, checkout, ...others] = positionals;
    const [pairs, rounds] = [Number(values.pairs), Number(values.rounds)];
    const areCounts = [pairs, rounds].every((count) => Number.isInteger(count) && count > 0);
    if (baseline === undefined || checkout === undefined || others.length > 0 || !areCounts)
      throw new Error("Two checkouts, and whole numbers above 0.");
    return { folders: [baseline, checkout], pairs, rounds };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return process.exit(2);
  }
}
