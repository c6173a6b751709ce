import { withFaults } from "@partita/testing";
import { type ContextOptions, TableContext, type TableStorage } from "../../../src/index.ts";
import { noRetry } from "../../../src/rest.ts";
import { commands, type Running, scope } from "./commands.ts";
import { Random } from "./random.ts";
import { recorded } from "./recorded.ts";
import { clear, rowsOfBeta, rowsOfNobody, seed } from "./world.ts";
import { Witness } from "./witness.ts";

/** The longest program. */
const maxCalls = 30;

/**
 * Runs one random program in a context of acme.
 *
 * @returns what of beta it saw, and what it was able to see at all
 */
export async function runProgram(
  inner: TableStorage,
  number: number,
  called: Set<string>,
): Promise<{ readonly leaks: readonly string[]; readonly entities: number }> {
  const random = new Random(number);
  const witness = new Witness();
  await clear(inner);
  await seed(inner, random);
  let before = await rowsOfBeta(inner);
  const storage = random.isOneOf(4) ? losing(inner, random) : inner;
  const context = new TableContext(storage, optionsOf(random, witness));
  const running: Running = {
    context: recorded(context, called),
    inner,
    storage,
    random,
    witness,
    held: [],
    onOthersWritten: async () => {
      before = await rowsOfBeta(inner);
    },
  };
  for (let calls = random.below(maxCalls) + 5; calls > 0; calls--) await call(running);
  await call(running, ({ context: own }) => own.saveChanges());
  for (const entity of running.held) witness.see("the program holds", entity);
  for (const entity of running.held) witness.see("conflicts", context.entry(entity).conflicts);
  await running.context[Symbol.asyncDispose]();
  const after = await rowsOfBeta(inner);
  if (JSON.stringify(after) !== JSON.stringify(before)) witness.leaks.push("rows of beta have changed");
  if ((await rowsOfNobody(inner)).length > 0) witness.leaks.push("there are rows of no tenant");
  const { leaks, entities } = witness;
  return { leaks: leaks.map((leak) => `program ${number}: ${leak}`), entities };
}

/** Makes one call, and looks at what it returns or throws. */
async function call(running: Running, command = running.random.pick(commands)): Promise<void> {
  const { witness, held } = running;
  const where = String(command).replaceAll(/\s+/g, " ").slice(0, 120);
  try {
    const result = await command(running);
    witness.see(where, result);
    for (const each of [result].flat() as unknown[])
      if (typeof each === "object" && each !== null && "id" in each) held.push(each);
  } catch (error) {
    witness.see(where, error);
  }
}

const optionsOf = (random: Random, witness: Witness): ContextOptions => ({
  scope,
  retry: noRetry,
  ...(random.isOneOf(4) && { mergeOption: random.pick(["overwriteChanges", "preserveChanges"]) }),
  ...(random.isOneOf(6) && { tracking: "explicit" }),
  ...(random.isOneOf(6) && { upgrade: "write" }),
  ...(random.isOneOf(3) && { unreadableRows: random.pick(["skip", "raw"]) }),
  hooks: { materialized: (entity) => witness.see("materialized", entity) },
});

/** A storage that loses the responses of some writes. */
const losing = (inner: TableStorage, random: Random): TableStorage =>
  withFaults(inner, ({ operations }) =>
    Promise.resolve(
      operations.length > 0 && random.isOneOf(5)
        ? random.pick(["timeout-after", "timeout-before"] as const)
        : undefined,
    ),
  );
