// Importing each library in a fresh process: what it adds to a process that imports nothing.
import { spawnSync } from "node:child_process";
import { compare } from "./compare.ts";

const importing = (specifier: string) => (): Promise<void> => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", specifier === "" ? "" : `await import(${JSON.stringify(specifier)})`],
    {
      encoding: "utf8",
      cwd: import.meta.dirname,
    },
  );
  if (status !== 0) throw new Error(stderr);
  return Promise.resolve();
};

await compare({
  title: "Start a process and import (limit: Partita at most 20 ms above the floor)",
  rounds: 9,
  floor: { name: "nothing", run: importing("") },
  ours: { name: "@partita/core", run: importing("@partita/core") },
  peers: [
    { name: "@azure/data-tables", run: importing("@azure/data-tables") },
    { name: "@mikro-orm/core", run: importing("@mikro-orm/core") },
  ],
});

const loaded = spawnSync(
  process.execPath,
  [
    "--input-type=module",
    "-e",
    'await import("@partita/core"); console.log(process.moduleLoadList.filter((m) => /sqlite|undici/.test(m)).join(" ") || "neither node:sqlite nor undici")',
  ],
  { encoding: "utf8", cwd: import.meta.dirname },
);
console.log(`  loaded by importing @partita/core: ${loaded.stdout.trim()}`);
