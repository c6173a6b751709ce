import { TableError } from "./table-error.ts";

/** An operation does not fit the entity's state, or the context's. Codes begin with `entity.` or `context.`. */
export class StateError extends TableError {}
