import type { JsonSchema } from "@partita/json-schema";

/** The document of the API, with the schemas of the classes for requests and responses. */
export const openApiDocument = (
  schemas: Readonly<Record<"NewOrder" | "OrderPatch" | "Order", JsonSchema>>,
): object => ({
  openapi: "3.1.0",
  info: { title: "Orders", version: "1.0.0" },
  paths: {
    "/tenants/{tenant}/orders": {
      parameters: [inPath("tenant")],
      post: {
        requestBody: body("NewOrder"),
        responses: { 201: response("Order", "stored"), ...refusals(400, 409) },
      },
    },
    "/tenants/{tenant}/orders/{id}": {
      parameters: [inPath("tenant"), inPath("id")],
      get: { responses: { 200: response("Order", "the order with its lines"), ...refusals(404) } },
      patch: {
        parameters: [{ name: "if-match", in: "header", schema: { type: "string" } }],
        requestBody: body("OrderPatch"),
        responses: { 200: response("Order", "changed"), ...refusals(400, 404, 409, 412) },
      },
    },
  },
  components: { schemas: { ...schemas, Issues: issues } },
});

const inPath = (name: string): object => ({ name, in: "path", required: true, schema: { type: "string" } });

const issues = {
  type: "object",
  required: ["issues"],
  properties: {
    issues: {
      type: "array",
      items: {
        type: "object",
        required: ["message", "path"],
        properties: {
          message: { type: "string" },
          path: { type: "array", items: { type: ["string", "integer"] } },
        },
      },
    },
  },
};

const content = (schema: string): object => ({
  "application/json": { schema: { $ref: `#/components/schemas/${schema}` } },
});
const body = (schema: string): object => ({ required: true, content: content(schema) });
const response = (schema: string, description: string): object => ({ description, content: content(schema) });

const meanings = {
  400: "not valid",
  404: "not stored",
  409: "stored already",
  412: "changed since it was read",
} as const;
const refusals = (...statuses: readonly (keyof typeof meanings)[]): object =>
  Object.fromEntries(statuses.map((status) => [status, response("Issues", meanings[status])]));
