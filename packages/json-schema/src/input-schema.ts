import {
  type CheckOptions,
  accepted,
  type Check,
  defineOptions,
  oneOf,
  refusedOption,
} from "@partita/core/internal";
import {
  type EntityClass,
  type EntityModel,
  modelOf,
  type NewOf,
  type PartialPlain,
  type Plain,
} from "@partita/core/models";
import { checkPatch, createFrom } from "./check-input.ts";
import { describedNames } from "./described-names.ts";
import { schemaOf } from "./json-schema.ts";
import type { SchemaProps, SchemaTarget } from "./standard-schema.ts";
import { kindsOf, type Subject } from "./uses.ts";

/** The use of the client's data, and the names that it may set. */
export interface InputSchemaOptions<Name extends string = string> {
  /** `create` (default): a new entity. `patch`: changes of a stored one, for `context.assign`. */
  readonly for?: "create" | "patch" | undefined;
  /** The names that the data may set. By default all that are not read-only. */
  readonly only?: readonly Name[] | undefined;
  /** Names that the data may not set. If an entity needs them, the program sets them. */
  readonly except?: readonly Name[] | undefined;
}

/** A schema that follows https://standardschema.dev, with its JSON Schema. */
export interface InputSchema<Input, Output> {
  readonly "~standard": SchemaProps<Input, Output>;
}

type NameOf<Class extends EntityClass> = keyof Plain<InstanceType<Class>> & string;

/** A client's data for a new entity: the required values, as far as TypeScript knows them. */
export type CreateInput<Class extends EntityClass> = {
  readonly [
    Name in keyof NewOf<Class> as Name extends NameOf<Class> ? Name : never
  ]: Name extends keyof PartialPlain<InstanceType<Class>>
    ? Exclude<PartialPlain<InstanceType<Class>>[Name], undefined>
    : never;
};

/**
 * A client's data for a change of an entity: null clears an optional value, and embedded objects are merged.
 */
export type PatchInput<Entity> = {
  readonly [Name in keyof PartialPlain<Entity>]?: Merged<
    Exclude<PartialPlain<Entity>[Name], undefined>
  > | null;
};

type Merged<Value> = Value extends string | number | boolean | readonly unknown[]
  ? Value
  : { readonly [Name in keyof Value]?: Value[Name] | null };

const names: Check<readonly string[]> = accepted(
  "a list of names",
  (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
);
const call = "inputSchema(Class, options)";
const checkOptions: CheckOptions = defineOptions<InputSchemaOptions>(
  call,
  { for: oneOf("create", "patch"), only: names, except: names },
  "schema.option",
);

/**
 * Creates a schema for clients' data from a class: a Standard Schema, which Hono, Fastify, tRPC and others
 * accept, with its JSON Schema. It never throws for data. It collects every issue with its path, and no
 * message contains a value.
 * - For `create`, the output is a new entity with its generated key, ready for `context.add`.
 * - For `patch`, the output is the checked data, ready for `context.assign`.
 *
 * The data has the form of `toPlain`. Hidden properties, times of saves, ETag, Timestamp and the kind are
 * refused, and for `patch` the key too. Members of owned lists need no key parts of their parent.
 *
 * @example
 * ```ts
 * class Note extends defineEntity({
 *   table: "Notes",
 *   partitionKey: { board: text() },
 *   rowKey: { id: ulid },
 *   properties: { title: text(), stars: int32().default(0) },
 * }) {}
 * const newNote = inputSchema(Note, { except: ["id"] });
 * const result = newNote["~standard"].validate({ board: "b", title: "Hello" });
 * if (result.issues === undefined) context.add(result.value);
 * ```
 *
 * @throws OptionError `schema.option`, also for a name that the class does not declare
 */
export function inputSchema<Class extends EntityClass>(
  entityClass: Class,
  options: InputSchemaOptions<NameOf<Class>> & { readonly for: "patch" },
): InputSchema<PatchInput<InstanceType<Class>>, PatchInput<InstanceType<Class>>>;
export function inputSchema<Class extends EntityClass>(
  entityClass: Class,
  options?: InputSchemaOptions<NameOf<Class>> & { readonly for?: "create" | undefined },
): InputSchema<CreateInput<Class>, InstanceType<Class>>;
export function inputSchema(
  entityClass: EntityClass,
  options: InputSchemaOptions = {},
): InputSchema<never, never> {
  checkOptions(options);
  const { for: use = "create", only, except = [] } = options;
  const model = modelOf(entityClass);
  const isAllowed = (name: string): boolean => (only?.includes(name) ?? true) && !except.includes(name);
  const subject: Subject = { model, use, isAllowed };
  checkNames(subject, options);
  const validate = use === "create" ? createFrom : checkPatch;
  return {
    "~standard": {
      version: 1,
      vendor: "partita",
      validate: (data) => validate(subject, data) as never,
      jsonSchema: {
        input: ({ target }) => forTarget(subject, target),
        output: ({ target }) => forTarget(use === "create" ? { ...subject, use: "output" } : subject, target),
      },
    },
  };
}

/** Kinds that are declared later may have any names. */
function checkNames(subject: Subject, { only = [], except = [] }: InputSchemaOptions): void {
  const [model, ...others] = kindsOf(subject);
  if (others.length > 0 || model !== subject.model) return;
  const known = namesOf(subject.model);
  for (const option of ["only", "except"] as const)
    for (const name of option === "only" ? only : except)
      if (!known.includes(name))
        throw refusedOption(
          "schema.option",
          call,
          option,
          `names that ${subject.model.name} declares and that are not hidden: ${known.join(", ")}`,
        );
}

const namesOf = (model: EntityModel): readonly string[] => [
  ...describedNames(model).map(({ name }) => name),
  ...(model.kind === undefined ? [] : [model.options.kindProperty]),
];

const dialects: ReadonlyMap<SchemaTarget, string> = new Map([
  ["draft-2020-12", "https://json-schema.org/draft/2020-12/schema"],
  ["draft-07", "http://json-schema.org/draft-07/schema#"],
]);

/** @throws OptionError `schema.option` for another version of JSON Schema */
function forTarget(subject: Subject, target: SchemaTarget): Record<string, unknown> {
  const dialect = dialects.get(target);
  if (dialect === undefined)
    throw refusedOption(
      "schema.option",
      "jsonSchema.input(options)",
      "target",
      [...dialects.keys()].join(" or "),
    );
  return { $schema: dialect, ...schemaOf(subject) };
}
