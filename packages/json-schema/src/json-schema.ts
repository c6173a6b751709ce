import type { EntityClass, EntityModel } from "@partita/core/models";
import { modelOf } from "@partita/core/models";
import { type CheckOptions, defineOptions, oneOf, required } from "@partita/core/internal";
import type { JsonSchema } from "./described-names.ts";
import { kindsOf, memberOf, type Subject, usedNames } from "./uses.ts";

/** What the data of a schema is for. */
export interface JsonSchemaOptions {
  /** `output`: what `toPlain` returns of stored entities. `input`: what a client sends for a new one. */
  readonly for: "input" | "output";
}

const checkOptions: CheckOptions = defineOptions<JsonSchemaOptions>(
  "jsonSchema(Class, options)",
  { for: required(oneOf("input", "output")) },
  "schema.option",
);

/**
 * The JSON Schema (2020-12) of a class in plain data, for documents of OpenAPI 3.1 and for validators.
 *
 * - For output, every name is required that a stored entity always has, and more names may come.
 * - For input, names are required that have no default; generated parts of keys are optional. Hidden properties, times of
 *   saves, ETag, Timestamp and the kind are not there, and no other names are allowed. Members of owned lists have no key
 *   parts of their parent.
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

/** The schema of a class, or of each kind below it. */
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
  const { model, use } = subject;
  const names = usedNames(subject);
  const kind = hasKind ? kindSchema(model) : {};
  return {
    title: model.name,
    type: "object",
    properties: {
      ...kind,
      ...Object.fromEntries(names.map((each) => [each.name, valueSchema(subject, each)])),
    },
    required: [...Object.keys(kind), ...names.filter((each) => each.isRequired).map(({ name }) => name)],
    ...(use !== "output" && { additionalProperties: false }),
  };
}

const kindSchema = ({ kind, options }: EntityModel): JsonSchema =>
  kind === undefined ? {} : { [options.kindProperty]: { const: kind.name } };

function valueSchema(subject: Subject, name: ReturnType<typeof usedNames>[number]): JsonSchema {
  const { schema, members, isClearable } = name;
  if (members !== undefined) return { ...schema, items: schemaOf(memberOf(subject, members)) };
  return subject.use === "patch" && isClearable ? { anyOf: [schema, { type: "null" }] } : schema;
}
