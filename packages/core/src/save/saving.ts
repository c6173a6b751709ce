// The door behind which everything stands that only writing needs: a context loads it with its first save.

export { resolveInDoubt } from "../recovery/resolve-in-doubt.ts";
export { BulkWriter } from "./bulk-writer.ts";
export { checkLateErrors } from "./describe-save.ts";
export { traceSave } from "./save-changes.ts";
