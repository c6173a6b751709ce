#!/usr/bin/env node
import { censusOf } from "./census.ts";
import { doctor } from "./doctor.ts";
import { upgrade } from "./upgrade.ts";
import { UsageError } from "./usage-error.ts";

const usage = `Usage:
  partita doctor [tsconfig.json]
      Compiles a small program with your TypeScript and your compiler options, runs it, and names the flag that is wrong.
  partita census <module.js> <storage>
      Counts the rows of the module's tables by kind, version and shape.
  partita upgrade <module.js> <storage> [--dry-run] [--rate n] [--concurrency n]
      Stores every row of the module's classes in its present version. May be stopped and goes on where it was; several
      may run at once.

<module.js> is compiled and exports entity classes; <storage> is file:path.db or a connection string.`;

const [command, ...args] = process.argv.slice(2);
// A module may keep timers or connections of its own.
process.exit(await run());

async function run(): Promise<number> {
  try {
    if (command === "doctor") return doctor(args[0]);
    if (command === "census") return await censusOf(args);
    if (command === "upgrade") return await upgrade(args);
  } catch (error) {
    // Codes and sentences, no stack: what went wrong is the user's to see.
    console.error(error instanceof Error ? error.message : `The module threw ${typeof error}.`);
    return error instanceof UsageError ? 2 : 1;
  }
  console.log(usage);
  return command === undefined || command === "--help" ? 0 : 2;
}
