import { expect, test } from "vitest";
import { accountsIn } from "../src/accounts.ts";

const key = "AccountName=acct;AccountKey=a2V5";

test.each([
  [{}, []],
  [{ AZURE_TABLES_CONNECTION_STRING: "  " }, []],
  [{ AZURE_TABLES_CONNECTION_STRING: key }, [["Azure", true]]],
  [{ AZURE_TABLES_CONNECTION_STRING: `${key};TableEndpoint=https://x` }, [["Azure", false]]],
  [
    { AZURE_TABLES_CONNECTION_STRING: `${key};TableEndpoint=https://x;QueueEndpoint=https://y` },
    [["Azure", true]],
  ],
  [
    { AZURE_TABLES_CONNECTION_STRING: "TableEndpoint=https://x;SharedAccessSignature=sv" },
    [["Azure", false]],
  ],
  [{ COSMOS_TABLES_CONNECTION_STRING: key }, [["Cosmos DB", false]]],
  [
    { AZURE_TABLES_CONNECTION_STRING: key, COSMOS_TABLES_CONNECTION_STRING: key },
    [
      ["Azure", true],
      ["Cosmos DB", false],
    ],
  ],
])("%j names the accounts %j", (environment, accounts) => {
  expect(accountsIn(environment).map(({ name, hasQueues }) => [name, hasQueues])).toEqual(accounts);
});
