import { tableQueues } from "@partita/queues";
import { hasPostgres } from "@partita/test-support/postgres";
import { describeQueues, describeStorage } from "@partita/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import { freshStorage } from "./fresh-schema.ts";

const runner = { describe, test, skip: test.skip, beforeAll, afterAll };

describe.runIf(hasPostgres)("PostgreSQL", () => {
  describeStorage({ name: "A schema", create: freshStorage, runner });
  describeQueues({ name: "Queues in a schema", open: async () => tableQueues(await freshStorage()), runner });
});
