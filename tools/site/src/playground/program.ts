/** A program of a visitor. */
export interface Program {
  /** Classes, in JavaScript. */
  readonly model: string;
  /** JavaScript that ends with a query. */
  readonly query: string;
  /** Sample rows by class, in JSON or as an expression in JavaScript. */
  readonly rows: string;
}

export type Field = keyof Program;

/** An error in a field of the program. */
export interface Problem {
  readonly field: Field;
  readonly message: string;
  /** The line in the field, if it is known. */
  readonly line?: number;
  /** The code of Partita's errors. */
  readonly code?: string;
}

/** A request of the plan. */
export interface ShownRequest {
  readonly type: string;
  /** The key range, as OData text; undefined for the complete table. */
  readonly keys: string | undefined;
  /** The filter in addition to the key range, as OData text. */
  readonly filter: string | undefined;
  /** Conditions on the client. */
  readonly client: string | undefined;
}

/** The plan of a query, as `explain()` reports it. */
export interface ShownPlan {
  readonly type: string;
  readonly rating: "best" | "good" | "fair" | "poor" | "worst";
  readonly partitions: number | undefined;
  readonly requestCount: number;
  /** The first of its requests. */
  readonly requests: readonly ShownRequest[];
  /** The index that it uses. */
  readonly index: string | undefined;
  /** How the query would cost less. */
  readonly advice: readonly string[];
  /** The line that `explain()` prints. */
  readonly line: string;
}

/** The use of a row by the query. */
export type RowUse = "returned" | "read" | "unread";

/** A stored row. */
export interface ShownRow {
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  /** The class, or the index. */
  readonly of: string;
  /** Its other properties. */
  readonly values: string;
  readonly use: RowUse;
}

/** The cost of a run over the sample rows. */
export interface Cost {
  readonly requests: number;
  readonly read: number;
  readonly returned: number;
}

/** Everything that the page shows of a program. */
export interface Outcome {
  readonly problems: readonly Problem[];
  readonly plan?: ShownPlan | undefined;
  readonly rows: readonly ShownRow[];
  /** Absent if the query was not run. */
  readonly cost?: Cost | undefined;
}
