import { fc } from "@fast-check/vitest";
import { seedOf } from "@partita/test-support/seed";
import { definedClasses } from "@partita/test-support/domain/classes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTables, openStorage, type TableStorage } from "../../../src/index.ts";
import { type Command, commandOfLargeFamilies } from "./commands.ts";
import { History } from "./history.ts";
import { LibraryMirror } from "./library-mirror.ts";

let inner: TableStorage;
let histories = 0;
beforeAll(async () => {
  inner = await openStorage("memory:", { durability: "normal" });
  await createTables(inner, [definedClasses.Order, definedClasses.Line]);
});
afterAll(() => inner.close());

/** Operations that one transaction holds, as the service says. */
const limit = 100;

async function follow(commands: readonly Command[]): Promise<void> {
  const mirror = new LibraryMirror(inner, `t${histories++}`);
  const history = await new History(limit, mirror).begin();
  for (const step of commands) await history.perform(step);
}

const numRuns = Number(
  process.env["PARTITA_LIST_RUNS"] ?? (process.env["PARTITA_LONG"] === undefined ? 2000 : 40_000),
);

test(`${numRuns} random histories of owned lists, with other writers and faults, end where the model does`, async () => {
  const seed = seedOf("PARTITA_LIST_SEED", 11);
  const commands = fc.array(commandOfLargeFamilies, { maxLength: 30, size: "max" });
  await expect(fc.assert(fc.asyncProperty(commands, follow), { numRuns, seed })).resolves.toBeUndefined();
});
