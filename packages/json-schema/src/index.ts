// JSON Schemas of classes, and Standard Schemas that create entities from clients' data.

export type { JsonSchema } from "./described-names.ts";
export { jsonSchema, type JsonSchemaOptions } from "./json-schema.ts";
export {
  type CreateInput,
  inputSchema,
  type InputSchema,
  type InputSchemaOptions,
  type PatchInput,
} from "./input-schema.ts";
export { isInvalidInput } from "./invalid-input.ts";
export type { Issue, SchemaProps, SchemaResult, SchemaTarget } from "./standard-schema.ts";
