import { inherits } from "../../values/errors/brand.ts";
import type { ModelError } from "../../values/errors/model-error.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { buildObject, memberValues } from "../../model/declaration/embedded-object.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import { type EmbeddedModel, findEmbedded } from "../../model/declaration/entity-model.ts";
import { modelOfEntity } from "../../model/declaration/model-registry.ts";
import { hideValue } from "./hide-value.ts";
import type { ConstraintViolation, EntityValidator, TransformOptions } from "./validator.ts";

/** A schema of zod, valibot, arktype or another library that follows https://standardschema.dev, version 1. */
export interface StandardSchema<Input = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
      options?: { readonly libraryOptions?: Record<string, unknown> | undefined },
    ) => SchemaResult | Promise<SchemaResult>;
    readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
  };
}

/** The result of a schema: the issues of a value, or its output. */
export interface SchemaResult {
  readonly value?: unknown;
  readonly issues?: readonly SchemaIssue[] | undefined;
}

/** A problem, and its path. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The input type of a schema. */
export type SchemaInput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["input"];

/**
 * Checks the entities of one class, its subclasses included, by a schema; other entities are accepted:
 * `new TableContext(storage, { validate: [standardSchema(Blog, blogSchema), standardSchema(Photo, photoSchema)] })`.
 *
 * The schema only checks: its output (defaults, conversions) is stored only with `applyTransforms`. Messages are the
 * schema's own, with the refused value left out.
 *
 * ```ts
 * import { z } from "zod";
 *
 * const schema = z.object({ text: z.string().min(1) });
 * const context = new TableContext(storage, { validate: standardSchema(Blog, schema) });
 * ```
 *
 * @param schema - synchronous or asynchronous; it is given a copy of the entity with its key properties, without
 *   those that were not loaded
 * @param options - with `applyTransforms`, each value in the schema's output that differs becomes an edit of the
 *   entity; properties that the output does not name stay
 * @throws StateError `context.schema`
 */
export function standardSchema<Entity extends object, Schema extends StandardSchema>(
  entityClass: EntityClass<Entity>,
  schema: Schema & FitsEntity<Entity, Schema>,
  { applyTransforms = false }: TransformOptions = {},
): EntityValidator {
  checkSchema(entityClass, schema);
  const { validate } = schema["~standard"];
  const judge: EntityValidator = async (entity) => {
    if (!inherits(entity, entityClass)) return [];
    const { issues = [], value } = await validate(entity, { libraryOptions: allIssues });
    if (applyTransforms && issues.length === 0) takeOver(entity, value);
    return issues.map((issue) => violationOf(issue, entity));
  };
  return Object.assign(judge, { applyTransforms });
}

/**
 * For joi: the first violation may concern a property that is not loaded, and is then dropped. Others ignore this
 * option.
 */
const allIssues = { abortEarly: false };

/** Puts the output of a schema into the copy of an entity. */
function takeOver(copy: object, value: unknown): void {
  if (typeof value !== "object" || value === null || value === copy) return;
  const made = value as Readonly<Record<string, unknown>>;
  const model = modelOfEntity(copy);
  const values = copy as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(made)) {
    // Names such as "__proto__" are not properties of a class.
    if (name in Object.prototype) continue;
    const of = findEmbedded(model, name);
    Reflect.set(copy, name, of === undefined ? made[name] : mergedObject(of, values[name], made[name]));
  }
}

/** An embedded object of a schema's output. Like properties, leaves that the output does not name stay unchanged. */
function mergedObject(of: EmbeddedModel, current: unknown, output: unknown): unknown {
  if (output === current || !isObject(current) || !isObject(output)) return output;
  const values = memberValues(
    of,
    (_leaf, member) => (member in output ? output : current)[member],
    (part, member) =>
      member in output ? mergedObject(part, current[member], output[member]) : current[member],
  );
  return buildObject(of, values);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Refuses a schema for properties that the entity lacks, or that have another type. */
type FitsEntity<Entity, Schema extends StandardSchema> =
  Entity extends SchemaInput<Schema>
    ? unknown
    : ModelError<"This schema does not fit the class: compare its properties and their types">;

function checkSchema(entityClass: unknown, schema: Partial<StandardSchema> | undefined): void {
  if (typeof entityClass !== "function")
    throw new StateError("context.schema", "standardSchema(Class, schema) takes an entity class first.");
  const standard = schema?.["~standard"];
  if (standard?.version === 1 && typeof standard.validate === "function") return;
  throw new StateError(
    "context.schema",
    `standardSchema(${entityClass.name}, schema) takes a schema that follows Standard Schema, version 1: zod 3.24, valibot 1.0, arktype 2.0 or later.`,
    { entity: entityClass.name },
  );
}

function violationOf({ message, path = [] }: SchemaIssue, entity: object): ConstraintViolation {
  const keys = path.map((step) => (typeof step === "object" ? step.key : step));
  return { property: keys.map(String).join("."), message: hideValue(message, valueAt(entity, keys)) };
}

function valueAt(entity: object, keys: readonly PropertyKey[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      value === null || value === undefined ? undefined : (value as Record<PropertyKey, unknown>)[key],
    entity,
  );
}
