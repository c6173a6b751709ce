// A process of its own: opens a file, and ends itself before the statement of this number that changes the file.
import { DatabaseSync, StatementSync } from "node:sqlite";
import { openStorage } from "../../../src/index.ts";

const [path = "", killedBefore = "0"] = process.argv.slice(2);

/* oxlint-disable typescript/unbound-method -- called with objects of their own */
const { exec } = DatabaseSync.prototype;
const { run } = StatementSync.prototype;
/* oxlint-enable typescript/unbound-method */
let left = Number(killedBefore);
const count = (): void => {
  if (--left === 0) process.kill(process.pid, "SIGKILL");
};
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
  count();
  exec.call(this, sql);
};
StatementSync.prototype.run = function (this: StatementSync, ...values: Parameters<typeof run>) {
  count();
  return run.apply(this, values);
} as typeof run;

await using storage = await openStorage(`file:${path}`);
const { entities } = await storage.query("Things", {});
process.stdout.write(`${entities.length}\n`);
