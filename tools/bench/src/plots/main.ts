// pnpm bench:plots: draws docs/benchmarks/*.svg and the table of docs/benchmarks.md from docs/benchmarks/results.json.
import { spawnSync } from "node:child_process";
import { drawGrowth } from "./growth.ts";
import { drawPeers, drawRatios } from "./ratios.ts";
import { readResults } from "../run/results-file.ts";
import { writeTable } from "./table.ts";

const folder = "docs/benchmarks";
const results = readResults(`${folder}/results.json`);
drawRatios(`${folder}/ratios.svg`, results);
drawPeers(`${folder}/peers.svg`, results);
drawGrowth(`${folder}/growth.svg`, results);
writeTable(`${folder}.md`, results);
spawnSync("oxfmt", [`${folder}.md`]);
console.log(`Wrote ${folder}.md, and ratios.svg, peers.svg and growth.svg in ${folder}.`);
