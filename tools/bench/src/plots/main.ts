// pnpm bench:plots: draws docs/benchmarks/*.svg and the short table of docs/benchmarks.md from docs/benchmarks/results.json.
import { spawnSync } from "node:child_process";
import { drawGrowth } from "./growth.ts";
import { drawPeers, drawRatios } from "./ratios.ts";
import { readResults } from "../run/results-file.ts";
import { writeSelection } from "./selection.ts";

const folder = "docs/benchmarks";
const results = readResults(`${folder}/results.json`);
drawRatios(`${folder}/ratios.svg`, results);
drawPeers(`${folder}/peers.svg`, results);
drawGrowth(`${folder}/growth.svg`, results);
writeSelection(`${folder}.md`, results);
spawnSync("oxfmt", [`${folder}.md`]);
console.log(`Wrote ${folder}.md, and ratios.svg, peers.svg and growth.svg in ${folder}.`);
