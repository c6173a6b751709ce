// pnpm test:cloud: the suites of storages and queues, and probes of what is assumed of the service, against real accounts.
import { accountsIn, variables } from "../cloud/src/accounts.ts";
import { say } from "./step.mjs";
import { runTests } from "./vitest-run.mjs";

/** Nothing was tried: by the convention of sysexits, a matter of configuration. */
const notConfigured = 78;

const accounts = accountsIn(process.env);
if (accounts.length === 0) {
  console.error(
    `Set ${variables.join(" or ")}, or both, to the connection string of an account that tests may use.`,
  );
  process.exit(notConfigured);
}
process.env.PARTITA_CLOUD = "1";
say(`Running the suites and the probes against ${accounts.map(({ name }) => name).join(" and ")} …`);
const command = ["vitest", "run", "--project", "cloud: accounts", ...process.argv.slice(2)];
process.exit(runTests("temp/test-results-cloud.json", command) ? 0 : 1);
