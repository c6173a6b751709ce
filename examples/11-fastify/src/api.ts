import {
  ConflictError,
  createTables,
  defineEntity,
  int32,
  QueryError,
  SaveError,
  TableContext,
  type TableStorage,
  text,
  toPlain,
} from "@partita/core";
import Fastify, { type FastifyInstance } from "fastify";

class Product extends defineEntity({
  table: "Products",
  partitionKey: { shop: text() },
  rowKey: { sku: text() },
  properties: { price: int32() },
}) {}

interface OfShop {
  readonly Params: { readonly shop: string };
}
interface OfProduct {
  readonly Params: { readonly shop: string; readonly sku: string };
}
interface Price {
  readonly price: number;
}

const price = { type: "object", required: ["price"], properties: { price: { type: "integer" } } };

/** Products over HTTP: lists with pages, and changes under the client's ETag. */
export async function openApi(storage: TableStorage): Promise<FastifyInstance> {
  await createTables(storage, [Product]);
  const app = Fastify();
  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, _request, reply) => {
    const status = statusOf(error) ?? error.statusCode ?? 500;
    // Messages contain keys and storage details, so they only go to the log.
    return reply.code(status).send({ error: status < 500 ? reasonOf(error) : "failed" });
  });

  app.get<OfShop & { readonly Querystring: { readonly size?: number; readonly after?: string } }>(
    "/shops/:shop/products",
    {
      schema: {
        querystring: { properties: { size: { type: "integer", minimum: 1, maximum: 100 } }, type: "object" },
      },
    },
    async ({ params: { shop }, query: { size = 20, after } }) => {
      const products = new TableContext(storage).query(Product).mergeOption("noTracking").where({ shop });
      const { entities, next } = await products.page({ size, after });
      return { products: entities.map((product) => toPlain(product)), next };
    },
  );

  app.get<OfProduct>("/shops/:shop/products/:sku", async ({ params }, reply) => {
    const context = new TableContext(storage);
    const product = await context.find(Product, params);
    if (product === undefined) return reply.code(404).send();
    return reply.header("etag", context.entry(product).etag).send(toPlain(product));
  });

  app.post<OfProduct & { readonly Body: Price }>(
    "/shops/:shop/products/:sku",
    { schema: { body: price } },
    async ({ params, body }, reply) => {
      const context = new TableContext(storage);
      const product = context.create(Product, { ...params, price: body.price });
      await context.saveChanges();
      return reply.code(201).header("etag", context.entry(product).etag).send(toPlain(product));
    },
  );

  app.put<OfProduct & { readonly Body: Price }>(
    "/shops/:shop/products/:sku",
    { schema: { body: price } },
    async ({ params, body, headers }, reply) => {
      const etag = headers["if-match"];
      if (etag === undefined) return reply.code(428).send({ error: "If-Match is required" });
      const context = new TableContext(storage);
      // No read is needed: properties assigned after attach are sent under the client's ETag.
      const product = Object.assign(new Product(), params);
      context.attach(product, etag);
      product.price = body.price;
      await context.saveChanges();
      return reply.code(204).header("etag", context.entry(product).etag).send();
    },
  );
  return app;
}

/** The HTTP status for an error of Partita. Undefined for any other error. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof QueryError && error.code === "query.foreign-token") return 400;
  if (!(error instanceof SaveError)) return undefined;
  // The response was lost, so the change may be stored.
  if (error.unknown.length > 0) return 503;
  const { cause } = error;
  if (!(cause instanceof ConflictError)) return error.code === "save.invalid" ? 400 : 502;
  return { exists: 409, unique: 409, busy: 503, missing: 404, etag: 412 }[cause.reason];
}

/** The reason for the client: a code, which contains no keys. */
function reasonOf(error: unknown): string {
  if (error instanceof SaveError && error.cause instanceof ConflictError) return error.cause.reason;
  return (error as { readonly code?: string }).code ?? "invalid";
}
