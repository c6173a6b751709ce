// An API with Fastify: pages with continuation tokens, and changes under the client's ETag.
import { openStorage } from "@partita/core";
import { openApi } from "./api.ts";

const storage = await openStorage("memory:");
const api = await openApi(storage);
const products = "/shops/north/products";

for (const sku of ["cup", "pot", "tea"]) {
  const { statusCode } = await api.inject({
    method: "POST",
    url: `${products}/${sku}`,
    payload: { price: 4 },
  });
  console.log(`POST ${sku}: ${statusCode}`);
}
const again = await api.inject({ method: "POST", url: `${products}/tea`, payload: { price: 5 } });
console.log(`POST tea again: ${again.statusCode} ${again.body}`);

let after = "";
do {
  const page = await api.inject({ url: products, query: { size: "2", after } });
  const list = page.json<{
    readonly products: readonly { readonly sku: string }[];
    readonly next?: string;
  }>();
  console.log(`Page: ${list.products.map(({ sku }) => sku).join(", ")}`);
  after = list.next ?? "";
} while (after !== "");
const foreign = await api.inject({ url: products, query: { after: "nonsense" } });
console.log(`A token that is none: ${foreign.statusCode} ${foreign.body}`);

const read = await api.inject({ url: `${products}/tea` });
const etag = String(read.headers["etag"]);
const put = async (what: string, headers: Record<string, string>): Promise<void> => {
  const { statusCode } = await api.inject({
    method: "PUT",
    url: `${products}/tea`,
    headers,
    payload: { price: 6 },
  });
  console.log(`PUT ${what}: ${statusCode}`);
};
await put("without If-Match", {});
await put("with the ETag that was read", { "if-match": etag });
await put("with the same ETag once more", { "if-match": etag });
const wrong = await api.inject({ method: "POST", url: `${products}/jam`, payload: { price: "much" } });
console.log(`POST with a price that is no number: ${wrong.statusCode}`);

await api.close();
await storage.close();
