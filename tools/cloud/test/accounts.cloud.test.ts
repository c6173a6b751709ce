import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { accountsIn } from "../src/accounts.ts";
import { describeAccount } from "../src/describe-account.ts";
import { publish } from "../src/report.ts";

const runner = { describe, test, skip: test.skip, beforeAll, afterAll };
const folder = join(import.meta.dirname, "../../../temp/cloud");

for (const account of accountsIn(process.env))
  describeAccount(account, { runner, publish: (report) => publish(report, folder) });
