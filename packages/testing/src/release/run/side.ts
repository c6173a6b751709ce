import { fromPlain, SaveError, type TableContext, TableError, toPlain } from "@partita/core";
import { readPlain } from "@partita/core/internal";
import type { EntityModel } from "@partita/core/models";
import type { ReleaseName } from "../release-report.ts";
import type { PlainValues } from "../sides/value-pools.ts";

/** How a release sees a row. */
export type View =
  | { readonly type: "entity"; readonly values: PlainValues }
  | { readonly type: "none" }
  | { readonly type: "error"; readonly code: string; readonly property: string | undefined };

/** The row that a release found under a key. */
export interface RowView {
  readonly row: number;
  readonly view: View;
}

/** The result of a write: `impossible` if there is nothing to write. */
export type Written = "done" | "impossible" | { readonly code: string };

/** A class in one release. Reads and writes rows like a program of that release. */
export class Side {
  readonly name: ReleaseName;
  readonly model: EntityModel;

  constructor(name: ReleaseName, model: EntityModel) {
    this.name = name;
    this.model = model;
  }

  /**
   * @param onBuilt - receives the entity's values before the save, since plain data has one form of each value
   * @throws Error from the program's code, such as a constructor
   */
  insert(
    context: TableContext,
    key: PlainValues,
    values: PlainValues,
    onBuilt?: (values: PlainValues) => void,
  ): Promise<Written> {
    return written(async () => {
      const given = Object.entries({ ...key, ...values }).filter(([, value]) => value !== undefined);
      const entity = fromPlain(this.model.entityClass, Object.fromEntries(given), { hidden: true });
      context.add(entity);
      onBuilt?.(plainOf(entity));
      await context.saveChanges();
      return "done";
    });
  }

  /** Reads a row, assigns these values, and saves them with a merge, or the complete row with a replace. */
  update(
    context: TableContext,
    key: PlainValues,
    values: PlainValues,
    update: "merge" | "replace",
  ): Promise<Written> {
    return written(async () => {
      const entity = await this.#find(context, key);
      if (entity === undefined) return "impossible";
      for (const [name, value] of Object.entries(values))
        Reflect.set(entity, name, value === undefined ? undefined : this.#host(name, value));
      // A replace sends the row even if no value differs.
      if (update === "replace") context.update(entity, ...(Object.keys(values) as never[]));
      await context.saveChanges({ update });
      return "done";
    });
  }

  remove(context: TableContext, key: PlainValues): Promise<Written> {
    return written(async () => {
      const entity = await this.#find(context, key);
      if (entity === undefined) return "impossible";
      // Deleting a parent also deletes its owned list, which was not loaded.
      if (this.model.children.some(({ isOwned }) => isOwned === true)) await context.removeFamily(entity);
      else context.remove(entity);
      await context.saveChanges();
      return "done";
    });
  }

  /** The row under a key, as this release sees it. */
  async view(context: TableContext, key: PlainValues): Promise<View> {
    try {
      const entity = await this.#find(context, key);
      return entity === undefined ? { type: "none" } : { type: "entity", values: plainOf(entity) };
    } catch (error) {
      return viewOfError(error);
    }
  }

  #find(context: TableContext, key: PlainValues): Promise<object | undefined> {
    const named = Object.entries(key).map(([name, value]) => [name, this.#host(name, value)]);
    return context.find(this.model.entityClass, Object.fromEntries(named) as never);
  }

  #host(name: string, value: unknown): unknown {
    return readPlain(this.model, name, value, { hidden: true });
  }
}

export const plainOf = (entity: object): PlainValues => toPlain(entity, { hidden: true });

/**
 * Converts an error of a read to a view. Errors that are not Partita's come from steps and converters of the program.
 */
export function viewOfError(error: unknown): View & { readonly type: "error" } {
  if (!TableError.is(error)) return { type: "error", code: "program", property: undefined };
  const { property } = error.details as { readonly property?: unknown };
  return {
    type: "error",
    code: error.code,
    property: typeof property === "string" ? property.split(".")[0] : undefined,
  };
}

async function written(write: () => Promise<Written>): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    if (SaveError.is(error)) return { code: codeOfSave(error) };
    if (!TableError.is(error)) throw error;
    return { code: error.code };
  }
}

/** The code of a save's refusal, from the first result with an error. */
function codeOfSave({ code, results }: SaveError): string {
  for (const result of results) {
    const { error } = result as { readonly error?: { readonly code?: unknown } };
    if (typeof error?.code === "string") return error.code;
  }
  return code;
}
