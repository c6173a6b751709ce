/** The tables that Partita creates for its own rows, by their contents. */
export const internalTables = {
  /** Progress of work on complete tables: cursors and claims. */
  jobs: "PartitaJobs",
  /** Messages of `tableQueues`. */
  queues: "PartitaQueues",
  /** States of indexes. */
  schema: "PartitaSchema",
  /** Runs of workflows. */
  workflows: "PartitaWorkflows",
  /** Access policies and properties of an account that `partita serve` serves. */
  serverSettings: "PartitaServerSettings",
} as const;

const names: ReadonlySet<string> = new Set(Object.values(internalTables).map((name) => name.toLowerCase()));

/** Whether Partita made a table for its own rows. Table names differ by more than case. */
export const isInternalTable = (table: string): boolean => names.has(table.toLowerCase());
