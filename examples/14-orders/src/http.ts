// Orders over HTTP, with Fastify. The class validates bodies, and its schemas are in the OpenAPI document.
import {
  type ConflictReason,
  createTables,
  SaveError,
  TableContext,
  type TableStorage,
  toPlain,
} from "@partita/core";
import { type InputSchema, inputSchema, isInvalidInput, type Issue, jsonSchema } from "@partita/json-schema";
import Fastify, { type FastifyInstance, type FastifyTypeProvider } from "fastify";
import { openApiDocument } from "./open-api-document.ts";
import { Customer, Line, Order } from "./model.ts";

const newOrder = inputSchema(Order);
const orderPatch = inputSchema(Order, { for: "patch", only: ["note", "lines"] });

export async function openApi(storage: TableStorage): Promise<FastifyInstance> {
  await createTables(storage, [Customer, Order, Line]);
  const app = Fastify().withTypeProvider<ClassProvider>();
  app.setValidatorCompiler<InputSchema<unknown, unknown>>(({ schema }) => (data) => {
    const result = schema["~standard"].validate(data);
    return result.issues === undefined ? result : { error: new InvalidBody(result.issues) };
  });
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof InvalidBody) return reply.code(400).send({ issues: error.issues });
    // Messages contain keys, so they only go to the log.
    return reply.code(statusOf(error)).send({ issues: [] });
  });

  const document = openApiDocument({
    NewOrder: jsonSchema(Order, { for: "input" }),
    OrderPatch: orderPatch["~standard"].jsonSchema.input({ target: "draft-2020-12" }),
    Order: jsonSchema(Order, { for: "output" }),
  });
  app.get("/openapi.json", () => document);

  // Every request uses a context of its tenant, which cannot read or write data of another tenant.
  const contextOf = ({ tenant }: OfTenant["Params"]): TableContext =>
    new TableContext(storage, { scope: { tenant } });

  app.post(
    "/tenants/:tenant/orders",
    { schema: { body: newOrder } },
    async ({ params, body: order }, reply) => {
      await using context = contextOf(params as OfTenant["Params"]);
      context.add(order);
      await context.saveChanges({ batch: "atomic" });
      return await reply.code(201).header("etag", context.entry(order).etag).send(toPlain(order));
    },
  );

  app.get<OfOrder>("/tenants/:tenant/orders/:id", async ({ params }, reply) => {
    await using context = contextOf(params);
    const order = await context.find(Order, params, { include: "lines" });
    if (order === undefined) return await reply.code(404).send({ issues: [] });
    return await reply.header("etag", context.entry(order).etag).send(toPlain(order));
  });

  app.patch<OfOrder>(
    "/tenants/:tenant/orders/:id",
    { schema: { body: orderPatch } },
    async ({ params, body, headers }, reply) => {
      await using context = contextOf(params);
      const order = await context.find(Order, params, { include: "lines" });
      if (order === undefined) return await reply.code(404).send({ issues: [] });
      const { etag } = context.entry(order);
      if ((headers["if-match"] ?? etag) !== etag) return await reply.code(412).send({ issues: [] });
      context.assign(order, body as Readonly<Record<string, unknown>>);
      // A change of only the lines is also saved under the ETag of the order.
      context.touch(order);
      await context.saveChanges({ batch: "atomic" });
      return await reply.header("etag", context.entry(order).etag).send(toPlain(order));
    },
  );
  return app;
}

interface OfTenant {
  readonly Params: { readonly tenant: string };
}

interface OfOrder {
  readonly Params: { readonly tenant: string; readonly id: string };
}

/** The types of bodies, from their schemas. */
interface ClassProvider extends FastifyTypeProvider {
  readonly validator: this["schema"] extends InputSchema<infer _Input, infer Output> ? Output : unknown;
}

class InvalidBody extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super("The body is not valid.");
    this.issues = issues;
  }
}

const statusOfConflict: Readonly<Record<ConflictReason, number>> = {
  exists: 409,
  unique: 409,
  busy: 503,
  missing: 404,
  etag: 412,
};

function statusOf(error: unknown): number {
  if (isInvalidInput(error)) return 400;
  const conflict = error instanceof SaveError ? error.conflicts[0]?.error : undefined;
  if (conflict !== undefined) return statusOfConflict[conflict.reason];
  return (error as { readonly statusCode?: number }).statusCode ?? 500;
}
