// node run-programs.ts <folder>: runs the compiled programs of a folder one after another in this process, each with modules
// of its own, and writes what they printed into runs.json. The names of the programs are in names.json.
import diagnostics from "node:diagnostics_channel";
import { readFile, writeFile } from "node:fs/promises";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
// For decorators that take the types of properties from the compiler.
import "reflect-metadata";
import type { Run } from "./runs-of.ts";

// The programs have no arguments.
const [folder] = process.argv.splice(2) as [string];
const names = JSON.parse(await readFile(join(folder, "names.json"), "utf8")) as readonly string[];
const runs: Run[] = [];
let current: { name: string; stdout: string; stderr: string } = { name: "", stdout: "", stderr: "" };

// A module is loaded once for each query in its address. What a program imports by a relative path takes its query.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const query = /\?.*/.exec(context.parentURL ?? "")?.[0] ?? "";
    return specifier.startsWith("./") ? { ...found, url: found.url + query } : found;
  },
});

// A program's observers end with it.
const subscribed: (() => void)[] = [];
const { subscribe } = diagnostics;
diagnostics.subscribe = (channel, listener) => {
  subscribe(channel, listener);
  subscribed.push(() => diagnostics.unsubscribe(channel, listener));
};
syncBuiltinESMExports();

const note = (error: unknown): void => {
  current.stderr += `${error instanceof Error ? error.stack : String(error)}\n`;
};
process.on("uncaughtException", note);
process.on("unhandledRejection", note);
process.on("warning", note);
process.stdout.write = (text) => {
  current.stdout += String(text);
  return true;
};
process.stderr.write = (text) => {
  current.stderr += String(text);
  return true;
};

const tooLong = (): Promise<never> =>
  new Promise((_, reject) => setTimeout(() => reject(new Error("It did not end.")), 20_000).unref());
for (const name of names) {
  current = { name, stdout: "", stderr: "" };
  runs.push(current);
  try {
    await Promise.race([import(`${pathToFileURL(join(folder, `${name}.js`)).href}?${name}`), tooLong()]);
    await new Promise((resolve) => void setImmediate(resolve));
  } catch (error) {
    note(error);
  }
  for (const stop of subscribed.splice(0)) stop();
}
await writeFile(join(folder, "runs.json"), JSON.stringify(runs));
// Programs may leave something open, a server say.
process.exit(0);
