// node tools/run/copy-killed.mjs <file.db> <table> [--azurite]: copies a table of a file through a table server, or Azurite, into
// another file by `partita copy`, which is killed ten times on the way; then both files are compared, row by row.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startAzurite } from "../test-support/src/azurite.ts";
import { say } from "./step.mjs";

const [file = "places.db", table = "Places", through] = process.argv.slice(2);
// Azurite takes some hundred rows a second: a page of a copy may be silent for longer.
const claimTimeout = through === "--azurite" ? "5" : "1";
const main = join(import.meta.dirname, "../../packages/cli/dist/main.js");
const source = `file:${resolve(file)}`;
const folder = await mkdtemp(join(tmpdir(), "copy-killed-"));
const target = `file:${join(folder, "copy.db")}`;
const server = through === "--azurite" ? await startAzurite({ folder }) : await startServer();
let kills = 0;
const started = performance.now();
try {
  await copyKilled(source, server.connectionString, 5);
  await copyKilled(server.connectionString, target, 10);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`Copied there and back in ${seconds} s, killed ${kills} times.`);
  const { openStorage } = await import("../../packages/core/dist/index.js");
  const { compareTables } = await import("../../packages/transfer/dist/index.js");
  await using original = await openStorage(source);
  await using copy = await openStorage(target);
  const { first, second, isEqual } = await compareTables(original, copy, table);
  say(`${first} and ${second} rows: ${isEqual ? "equal row by row, with their types" : "NOT EQUAL"}.`);
  process.exitCode = isEqual ? 0 : 1;
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}

/** Copies until all is copied; kills the command after ever longer times until so many kills were made in all. */
async function copyKilled(from, to, untilKills) {
  for (let ms = 500; ; ms += 400) {
    const child = spawn(process.execPath, [main, "copy", from, to, table, "--claim-timeout", claimTimeout], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    const ended = once(child, "exit");
    if (kills === untilKills) {
      const [code] = await ended;
      if (code !== 0) throw new Error(`The copy ended with ${code}.`);
      return;
    }
    const first = await Promise.race([ended, sleep(ms)]);
    if (first !== undefined) throw new Error("The copy ended before it was killed: take a larger table.");
    child.kill("SIGKILL");
    await ended;
    kills++;
  }
}

/** `partita serve` over a file. */
async function startServer() {
  const child = spawn(
    process.execPath,
    [main, "serve", "--storage", `file:${join(folder, "server.db")}`, "--port", "0", "--no-queues"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  for await (const text of child.stdout.setEncoding("utf8")) {
    const url = /url=(\S+)/.exec(text)?.[1];
    if (url !== undefined) return { connectionString: connectionTo(url), stop: () => stop(child) };
  }
  throw new Error("The server did not start.");
}

/** With the emulator's key, which everybody knows. */
function connectionTo(url) {
  return `AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=${url};`;
}

async function stop(child) {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
