import { odata, RestError, TableClient } from "@azure/data-tables";
import type { Insert } from "./load.ts";

/** Inserts products, loses a conflict and reads pages with Azure's client. */
export async function useAzureClient(connectionString: string, shop: string): Promise<void> {
  const products = TableClient.fromConnectionString(connectionString, "Products", {
    allowInsecureConnection: true,
  });
  await products.createTable();
  const skus = Array.from({ length: 50 }, (_, n) => `cup ${n + 10}`);
  await Promise.all(skus.map((rowKey) => products.createEntity({ partitionKey: shop, rowKey, price: 4 })));
  console.log(`  inserted: ${skus.length}`);

  const { etag } = await products.getEntity(shop, "cup 10");
  const change = async (price: number): Promise<number | undefined> => {
    const product = { partitionKey: shop, rowKey: "cup 10", price };
    try {
      await products.updateEntity(product, "Merge", { etag });
      return 204;
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      return error.statusCode;
    }
  };
  console.log(`  two changes of the same version: ${await change(5)}, ${await change(6)}`);

  const filter = odata`PartitionKey eq ${shop}`;
  const pages = products.listEntities({ queryOptions: { filter } }).byPage({ maxPageSize: 20 });
  const sizes: number[] = [];
  for await (const page of pages) sizes.push(page.length);
  console.log(`  pages: ${sizes.join(", ")}`);
}

/** Inserts with Azure's client, without retries. */
export function insertWithAzureClient(connectionString: string, shop: string): Insert {
  const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
  const products = TableClient.fromConnectionString(connectionString, "Products", options);
  return async (rowKey) => void (await products.createEntity({ partitionKey: shop, rowKey, price: 4 }));
}
