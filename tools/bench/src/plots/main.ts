// pnpm bench:plots: draws docs/benchmarks/*.svg from docs/benchmarks/results.json.
import { drawGrowth } from "./growth.ts";
import { drawPeers, drawRatios } from "./ratios.ts";
import { readResults } from "../run/results-file.ts";

const folder = "docs/benchmarks";
const results = readResults(`${folder}/results.json`);
drawRatios(`${folder}/ratios.svg`, results);
drawPeers(`${folder}/peers.svg`, results);
drawGrowth(`${folder}/growth.svg`, results);
console.log(`Wrote ratios.svg, peers.svg and growth.svg in ${folder}.`);
