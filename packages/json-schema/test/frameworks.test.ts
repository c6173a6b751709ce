import { sValidator } from "@hono/standard-validator";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { initTRPC, type TRPCError } from "@trpc/server";
import { type definedPlain, definedPlain as classes } from "@partita/test-support/domain/plain-classes";
import { toPlain } from "@partita/core";
import Fastify, { type FastifyTypeProvider } from "fastify";
import { Hono } from "hono";
import { expect, expectTypeOf, test } from "vitest";
import { inputSchema } from "../src/index.ts";

// P5: frameworks validate bodies by a class, and their handlers get its instances.

const { Customer } = classes;
type Customer = InstanceType<(typeof definedPlain)["Customer"]>;
const newCustomer = inputSchema(Customer);
const good = { tenant: "acme", name: "Ann", email: "a@b.no" };
const bad = { tenant: "acme", name: 1, nope: true };
const badPaths = [["email"], ["name"], ["nope"]];

const sorted = (paths: readonly unknown[]): unknown[] =>
  paths.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

test("it is a Standard Schema with its JSON Schema", () => {
  const schema: StandardSchemaV1<unknown, Customer> & StandardJSONSchemaV1 = newCustomer;

  expectTypeOf<StandardSchemaV1.InferOutput<typeof newCustomer>>().toEqualTypeOf<Customer>();
  expectTypeOf(good).toExtend<StandardSchemaV1.InferInput<typeof newCustomer>>();
  expect(schema["~standard"].jsonSchema.input({ target: "draft-07" })).toMatchObject({
    $schema: "http://json-schema.org/draft-07/schema#",
    required: ["tenant", "name", "email"],
  });
  expect(schema["~standard"].jsonSchema.output({ target: "draft-2020-12" })).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    required: ["tenant", "id", "name", "email", "stars", "createdAt", "updatedAt"],
  });
  expect(() => schema["~standard"].jsonSchema.input({ target: "openapi-3.0" })).toThrow(
    expect.objectContaining({ code: "schema.option" }),
  );
});

test("P5: Hono validates bodies by a class", async () => {
  const app = new Hono().post("/customers", sValidator("json", newCustomer), (c) => {
    const customer = c.req.valid("json");
    expectTypeOf(customer).toEqualTypeOf<Customer>();
    expect(customer).toBeInstanceOf(Customer);
    return c.json(toPlain(customer), 201);
  });
  const post = (body: unknown): Response | Promise<Response> =>
    app.request("/customers", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  const created = await post(good);
  const refused = await post(bad);

  expect(created.status).toBe(201);
  expect(await created.json()).toMatchObject(good);
  expect(refused.status).toBe(400);
  const { error } = (await refused.json()) as { readonly error: readonly { readonly path: unknown }[] };
  expect(sorted(error.map(({ path }) => path))).toEqual(badPaths);
});

/** Types of requests by their Standard Schemas. */
interface StandardProvider extends FastifyTypeProvider {
  readonly validator: this["schema"] extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<this["schema"]>
    : unknown;
}

test("P5: Fastify validates bodies by a class", async () => {
  const app = Fastify().withTypeProvider<StandardProvider>();
  app.setValidatorCompiler<StandardSchemaV1>(({ schema }) => (data) => {
    const result = schema["~standard"].validate(data);
    if (result instanceof Promise) throw new TypeError("Not synchronous.");
    return result.issues === undefined
      ? { value: result.value }
      : { error: Object.assign(new Error("invalid"), { statusCode: 400, issues: result.issues }) };
  });
  app.setErrorHandler<Error & { readonly issues?: readonly StandardSchemaV1.Issue[] }>(
    (error, _request, reply) => reply.code(400).send({ issues: error.issues }),
  );
  app.post("/customers", { schema: { body: newCustomer } }, ({ body }, reply) => {
    expectTypeOf(body).toEqualTypeOf<Customer>();
    expect(body).toBeInstanceOf(Customer);
    return reply.code(201).send(toPlain(body));
  });
  const post = (payload: object): ReturnType<typeof app.inject> =>
    app.inject({ method: "POST", url: "/customers", payload }) as never;

  const created = await post(good);
  const refused = await post(bad);

  expect(created.statusCode).toBe(201);
  expect(created.json()).toMatchObject(good);
  expect(refused.statusCode).toBe(400);
  const { issues } = refused.json<{ readonly issues: readonly { readonly path: unknown }[] }>();
  expect(sorted(issues.map(({ path }) => path))).toEqual(badPaths);
  await app.close();
});

test("P5: tRPC validates inputs by a class", async () => {
  const { router, procedure, createCallerFactory } = initTRPC.create();
  const api = router({
    create: procedure.input(newCustomer).mutation(({ input }) => {
      expectTypeOf(input).toEqualTypeOf<Customer>();
      expect(input).toBeInstanceOf(Customer);
      return toPlain(input);
    }),
  });
  const caller = createCallerFactory(api)({});

  expect(await caller.create(good)).toMatchObject(good);
  const refused = await caller.create(bad as never).catch((error: unknown) => error as TRPCError);
  expect(refused).toMatchObject({ code: "BAD_REQUEST" });
  const { issues } = (refused as TRPCError).cause as unknown as {
    readonly issues: readonly { readonly path: unknown }[];
  };
  expect(sorted(issues.map(({ path }) => path))).toEqual(badPaths);
  // A client has the types of plain data.
  expectTypeOf(caller.create).parameter(0).toExtend<{
    readonly tenant: string;
    readonly id?: string;
    readonly name: string;
    readonly stars?: number;
  }>();
});
