// pnpm bench [name]: compiles the packages, then runs each benchmark in a process of its own.
import { readdirSync } from "node:fs";
import { bundlePackages } from "./bundle-packages.mjs";
import { run, say } from "./step.mjs";

say("Compiling packages and examples …");
run("tsc", ["-b"]);
await bundlePackages();
const wanted = process.argv[2] ?? "";
const benchmarks = readdirSync("tools/bench/src").filter(
  (file) => file.endsWith(".bench.ts") && file.startsWith(wanted),
);
for (const file of benchmarks) {
  say(`Benchmark ${file.replace(".bench.ts", "")} (ratios are to the first line, round by round)`);
  // From the sources: some benchmarks measure parts that the packages do not let out.
  run("node", ["--expose-gc", "--conditions=@partita/source", `tools/bench/src/${file}`]);
}
