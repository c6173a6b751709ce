// Prints the number of refused wrong programs. Lists those without a readable refusal, and the correct ones
// that are refused: `node tools/toolchains/src/programs/main.ts`.
import { readCorpus } from "./corpus.ts";
import { listOf, type Outcome, resultsOf } from "./outcomes.ts";

const wrongOnes = readCorpus("wrong");
const results = await resultsOf([...wrongOnes, ...readCorpus("right")]);
const [wrong, right] = [results.slice(0, wrongOnes.length), results.slice(wrongOnes.length)];
const count = (outcome: Outcome): number => wrong.filter((each) => each.outcome === outcome).length;

const all: readonly Outcome[] = ["readable", "unreadable", "at run time", "foreign error", "silent"];
console.log(`Wrong programs: ${wrong.length}`);
for (const outcome of all) console.log(`- ${outcome}: ${count(outcome)}`);
const refused = right.filter(({ outcome }) => outcome !== "silent");
console.log(`Right programs: ${right.length}, ${refused.length} of them refused`);
console.log(`\n## Right programs that are refused\n\n${listOf(refused)}`);
for (const outcome of all.slice(1).toReversed())
  console.log(`\n## ${outcome}\n\n${listOf(wrong.filter((each) => each.outcome === outcome))}`);
