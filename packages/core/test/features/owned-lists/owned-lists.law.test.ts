import { amountOf } from "@partita/test-support/effort";
import { fc } from "@fast-check/vitest";
import { lawParts } from "@partita/test-support/seed";
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
  process.env["PARTITA_LIST_RUNS"] ?? amountOf({ short: 500, full: 1000, long: 40_000 }),
);

for (const { part, options } of lawParts(numRuns, 2))
  test(`random histories of owned lists, with other writers and faults, end where the model does (${part})`, async () => {
    const commands = fc.array(commandOfLargeFamilies, { maxLength: 30, size: "max" });
    await expect(fc.assert(fc.asyncProperty(commands, follow), options)).resolves.toBeUndefined();
  });
