import type { TableContext } from "@partita/core";
import { invariant, scenario, type Scenario, simulate, SimulationError } from "@partita/testing";
import {
  Account,
  type Transfer,
  transferByUpsert,
  transferInOneTransaction,
  transferInTwoSaves,
} from "./transfers.ts";

const owners = ["Ada", "Grace", "Barbara"];

/**
 * Clerks transfer money with the given function, while requests fail and arrive late. The total must not
 * change.
 */
const clerksWho = (transfer: (context: TableContext, order: Transfer) => Promise<void>): Scenario<"clerk"> =>
  scenario({
    classes: [Account],
    setup(context) {
      for (const owner of owners) context.add(new Account({ bank: "bank", owner, balance: 100 }));
    },
    actors: {
      async clerk({ context, random }) {
        const from = random.oneOf(owners);
        const to = random.oneOf(owners.filter((owner) => owner !== from));
        await transfer(context, { from, to, amount: 10 });
      },
    },
    check: invariant(Account, (all) => {
      const sum = all.reduce((total, { balance }) => total + balance, 0);
      return sum === 300 || `there is ${sum} in place of 300`;
    }),
  });

const seeds = Number(process.argv[2] ?? 300);

async function tryOut(name: string, transfer: Parameters<typeof clerksWho>[0]): Promise<void> {
  console.log(`\n${name}`);
  try {
    const report = await simulate(clerksWho(transfer), {
      seeds,
      actors: 3,
      steps: 2,
      faults: { rate: 0.2, late: 2 / 3 },
    });
    const { runs, requests, faults, lateArrivals } = report;
    console.log(`Nothing found in ${runs} runs.`);
    console.log(`${faults} of ${requests} requests failed, and ${lateArrivals} writes arrived late.`);
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    console.log(error.message);
  }
}

await tryOut("In two saves", transferInTwoSaves);
await tryOut("By upsert", transferByUpsert);
await tryOut("In one transaction", transferInOneTransaction);
