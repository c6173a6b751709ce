/** An account to run the suites against. */
export interface CloudAccount {
  readonly name: string;
  /** For tables, and for queues if it has them. */
  readonly connectionString: string;
  readonly hasQueues: boolean;
  /** Whether rows are returned in key order, and ETags are times. */
  readonly isCosmos: boolean;
}

/** The environment variables with accounts. */
export const variables = ["AZURE_TABLES_CONNECTION_STRING", "COSMOS_TABLES_CONNECTION_STRING"] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** The accounts in the environment. Empty if no variable is set. */
export function accountsIn(environment: Environment): readonly CloudAccount[] {
  const [azure, cosmos] = variables.map((name) => environment[name]?.trim() ?? "");
  const accounts: CloudAccount[] = [];
  if (azure)
    accounts.push({ name: "Azure", connectionString: azure, hasQueues: hasQueues(azure), isCosmos: false });
  if (cosmos)
    accounts.push({ name: "Cosmos DB", connectionString: cosmos, hasQueues: false, isCosmos: true });
  return accounts;
}

/** An account's key also opens its queues. Without a key, they need their own endpoint. */
const hasQueues = (connectionString: string): boolean =>
  /(?:^|;)QueueEndpoint=/i.test(connectionString) ||
  (/(?:^|;)AccountKey=/i.test(connectionString) && !/(?:^|;)TableEndpoint=/i.test(connectionString));
