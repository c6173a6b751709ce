import type { ClientBase } from "pg";

/**
 * Settings of each session. Pages are read in the order of the index, even if the statistics favour a sort: it would read
 * all rows after the start of the page. The functions of the schema need read committed, which a role or a database may
 * have changed.
 */
const settings: Readonly<Record<string, string>> = {
  default_transaction_isolation: "'read committed'",
  plan_cache_mode: "force_generic_plan",
  enable_sort: "off",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
  jit: "off",
  // The functions of the schema have backslashes in texts.
  standard_conforming_strings: "on",
};

/** One statement, before the first of ours: poolers refuse settings in the connection's startup message. */
const setAll: string = Object.entries(settings)
  .map(([name, value]) => `set ${name} = ${value}`)
  .join("; ");

const prepared = new WeakSet<ClientBase>();

/** Sets up a connection when it is used for the first time. */
export async function prepareSession(client: ClientBase): Promise<void> {
  if (prepared.has(client)) return;
  await client.query(setAll);
  prepared.add(client);
}

/** Call if the settings of a connection were lost. */
export const forgetSession = (client: ClientBase): boolean => prepared.delete(client);
