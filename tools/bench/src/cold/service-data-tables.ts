import { TableClient } from "@azure/data-tables";
import { finish, source } from "./finish.ts";

void main();

async function main(): Promise<void> {
  const client = TableClient.fromConnectionString(source, "Articles", { allowInsecureConnection: true });
  const queryOptions = { filter: "PartitionKey eq 'shop-1'" };
  const pages = client.listEntities({ queryOptions }).byPage({ maxPageSize: 20 });
  for await (const page of pages) finish(page.length);
}
