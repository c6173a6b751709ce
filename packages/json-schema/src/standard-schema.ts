// The interfaces of https://standardschema.dev and https://standardschema.dev/json-schema, version 1.

/** One problem, and its path: `["lines", 0, "no"]`. */
export interface Issue {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** The result of a validation: the output, or every issue. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** The versions of JSON Schema that a library may request. */
export type SchemaTarget = "draft-2020-12" | "draft-07" | (string & {});

/** The member `~standard` of a schema. */
export interface SchemaProps<Input, Output> {
  readonly version: 1;
  readonly vendor: "partita";
  /** Synchronous. It never throws for data. */
  readonly validate: (value: unknown) => SchemaResult<Output>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  readonly jsonSchema: {
    readonly input: (options: { readonly target: SchemaTarget }) => Record<string, unknown>;
    readonly output: (options: { readonly target: SchemaTarget }) => Record<string, unknown>;
  };
}
