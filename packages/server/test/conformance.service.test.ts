import { openStorage, type OpenOptions } from "@partita/core";
import { watchPartitions } from "@partita/patterns";
import { accountSas } from "@partita/account";
import { afterAll, beforeAll, describe, test } from "vitest";
import { startTableServer, type TableServer, type TableServerOptions } from "../src/index.ts";
import { describeStorage } from "@partita/testing";

const runner = { describe, test, skip: test.skip, beforeAll, afterAll };

/** Every way to speak the protocol. */
const ways: readonly (readonly [string, OpenOptions, TableServerOptions?])[] = [
  ["JSON with minimal metadata", {}],
  ["JSON with full metadata, signed with SharedKey", { metadata: "full", signature: "SharedKey" }],
  ["Atom", { format: "atom" }],
  ["tunnelled methods", { tunnelMethods: true }],
  ["Atom, tunnelled", { format: "atom", tunnelMethods: true, signature: "SharedKey" }],
  ["small and empty pages", {}, { pageSize: 3, emptyPages: true }],
  ["limits that are never reached", {}, { throttle: 1_000_000_000 }],
];

for (const [name, openOptions, serverOptions] of ways) {
  let server: TableServer;
  afterAll(() => server.close());
  describeStorage({
    name: `The table server over ${name}`,
    create: async () => {
      server = await startTableServer(serverOptions);
      return openStorage(server.connectionString, openOptions);
    },
    runner,
  });
}

let server: TableServer;
afterAll(() => server.close());
describeStorage({
  name: "The table server with an account's signature",
  create: async () => {
    server = await startTableServer({ account: "acct" });
    const sas = accountSas(
      { accountName: server.account, accountKey: server.key },
      { permissions: "rwdlacu", expiresAt: new Date(Date.now() + 600_000), protocol: "https,http" },
    );
    return openStorage(`${server.url}?${sas}`);
  },
  runner,
});

let watching: TableServer;
afterAll(() => watching.close());
describeStorage({
  name: "The table server over a storage that is watched, and watched once more by its client,",
  create: async () => {
    watching = await startTableServer({ storage: watchPartitions(await openStorage("memory:")) });
    return watchPartitions(await openStorage(watching.connectionString));
  },
  runner,
});
