import type { EntityClass, EntityModel } from "@partita/core/models";
import { modelOf } from "@partita/core/models";
import { type CheckOptions, defineOptions, oneOf, required } from "@partita/core/internal";
import type { JsonSchema } from "./described-names.ts";
import { kindsOf, memberOf, type Subject, type UsedName, usedNames } from "./uses.ts";

/** The use of the schema's data. */
export interface JsonSchemaOptions {
  /** `output`: the result of `toPlain` for stored entities. `input`: a client's data for a new one. */
  readonly for: "input" | "output";
}

const checkOptions: CheckOptions = defineOptions<JsonSchemaOptions>(
  "jsonSchema(Class, options)",
  { for: required(oneOf("input", "output")) },
  "schema.option",
);

/**
 * The JSON Schema (2020-12) of a class in plain data, for OpenAPI 3.1 documents and for validators.
 * - For output, every name that a stored entity always has is required, and more names are allowed.
 * - For input, names without a default are required, and generated key parts are optional. Hidden properties,
 *   times of saves, ETag, Timestamp and the kind are left out, and no other names are allowed. Members of owned
 *   lists have no key parts of their parent.
 *
 * The base of several kinds has the schemas of its kinds in `anyOf`, each with the name of its kind.
 *
 * @example
 * ```ts
 * class Note extends defineEntity({
 *   table: "Notes",
 *   partitionKey: { board: text() },
 *   rowKey: { id: ulid },
 *   properties: { title: text(), stars: int32().default(0), createdAt: createdAt() },
 * }) {}
 * const { required } = jsonSchema(Note, { for: "output" }); // board, id, title, stars, createdAt
 * ```
 *
 * @throws OptionError `schema.option`; ModelError if the class is declared wrongly
 */
export function jsonSchema(entityClass: EntityClass, options: JsonSchemaOptions): JsonSchema {
  checkOptions(options);
  const use = options.for === "input" ? "create" : "output";
  return schemaOf({ model: modelOf(entityClass), use, isAllowed: () => true });
}

/** The schema of a class, or of each of its kinds. */
export function schemaOf(subject: Subject): JsonSchema {
  const models = kindsOf(subject);
  const isChoice = models.length > 1 || models[0] !== subject.model;
  if (!isChoice) return objectSchema(subject, subject.use === "output");
  return {
    title: subject.model.name,
    anyOf: models.map((model) => objectSchema({ ...subject, model }, true)),
  };
}

function objectSchema(subject: Subject, hasKind: boolean): JsonSchema {
  const kind = hasKind ? kindSchema(subject.model) : {};
  return { title: subject.model.name, ...namesSchema(subject, usedNames(subject), kind) };
}

const kindSchema = ({ kind, options }: EntityModel): JsonSchema =>
  kind === undefined ? {} : { [options.kindProperty]: { const: kind.name } };

/** The schema of an entity, or of an embedded object. */
function namesSchema(subject: Subject, names: readonly UsedName[], kind: JsonSchema): JsonSchema {
  const properties = names.map((each) => [each.name, valueSchema(subject, each)] as const);
  const required = names.filter((each) => each.isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: { ...kind, ...Object.fromEntries(properties) },
    required: [...Object.keys(kind), ...required],
    ...(subject.use !== "output" && { additionalProperties: false }),
  };
}

function valueSchema(subject: Subject, { schema, members, inner, isClearable }: UsedName): JsonSchema {
  if (members !== undefined) return { ...schema, items: schemaOf(memberOf(subject, members)) };
  const own = inner === undefined ? schema : namesSchema(subject, inner, {});
  return subject.use === "patch" && isClearable ? { anyOf: [own, { type: "null" }] } : own;
}
