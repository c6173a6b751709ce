// pnpm bench [name]: compiles the packages, then runs each benchmark in a process of its own.
import { readdirSync } from "node:fs";
import { run, say } from "./step.mjs";

say("Compiling packages and examples …");
run("tsc", ["-b"]);
const wanted = process.argv[2] ?? "";
const benchmarks = readdirSync("tools/bench/src").filter(
  (file) => file.endsWith(".bench.ts") && file.startsWith(wanted),
);
for (const file of benchmarks) {
  say(`Benchmark ${file.replace(".bench.ts", "")} (ratios are to the first line, round by round)`);
  run("node", ["--expose-gc", `tools/bench/src/${file}`]);
}
