/** The names of the tables that Partita creates for its own rows. */
export const internalTables = {
  /** Progress of jobs over complete tables: cursors and claims. */
  jobs: "PartitaJobs",
  /** Messages of `tableQueues`. */
  queues: "PartitaQueues",
  /** States of indexes. */
  schema: "PartitaSchema",
  /** Runs of workflows. */
  workflows: "PartitaWorkflows",
  /** Access policies and service properties of accounts that `partita serve` serves. */
  serverSettings: "PartitaServerSettings",
} as const;

const names: ReadonlySet<string> = new Set(Object.values(internalTables).map((name) => name.toLowerCase()));

/** Whether Partita uses this table for its own rows. Table names are case-insensitive. */
export const isInternalTable = (table: string): boolean => names.has(table.toLowerCase());
