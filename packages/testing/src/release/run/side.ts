import { fromPlain, SaveError, type TableContext, TableError, toPlain } from "@partita/core";
import { readPlain } from "@partita/core/internal";
import type { EntityModel } from "@partita/core/models";
import type { ReleaseName } from "../release-report.ts";
import type { PlainValues } from "../sides/value-pools.ts";

/** What a release sees of a row. */
export type View =
  | { readonly type: "entity"; readonly values: PlainValues }
  | { readonly type: "none" }
  | { readonly type: "error"; readonly code: string; readonly property: string | undefined };

/** What a release found under the key of a row. */
export interface RowView {
  readonly row: number;
  readonly view: View;
}

/** What became of a write: `impossible` where there is nothing to write. */
export type Written = "done" | "impossible" | { readonly code: string };

/** A class as one release has it: reads and writes rows as a program of that release does. */
export class Side {
  readonly name: ReleaseName;
  readonly model: EntityModel;

  constructor(name: ReleaseName, model: EntityModel) {
    this.name = name;
    this.model = model;
  }

  /**
   * @param onBuilt - receives the values of the entity before it is saved: plain data has one form of each value
   * @throws Error of a program's own code, such as a constructor
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

  /** Reads a row, assigns these values, and saves them by a merge, or all of the row by a replace. */
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
      // A replace sends the row even where no value differs.
      if (update === "replace") context.update(entity, ...(Object.keys(values) as never[]));
      await context.saveChanges({ update });
      return "done";
    });
  }

  remove(context: TableContext, key: PlainValues): Promise<Written> {
    return written(async () => {
      const entity = await this.#find(context, key);
      if (entity === undefined) return "impossible";
      // A parent takes its list along, which was not loaded.
      if (this.model.children.some(({ isOwned }) => isOwned === true)) await context.removeFamily(entity);
      else context.remove(entity);
      await context.saveChanges();
      return "done";
    });
  }

  /** What this release finds under a key. */
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

/** An error of a read as something seen. Errors that are not Partita's come from steps and converters of the program. */
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

/** What a save was refused for, in the first result that has a reason. */
function codeOfSave({ code, results }: SaveError): string {
  for (const result of results) {
    const { error } = result as { readonly error?: { readonly code?: unknown } };
    if (typeof error?.code === "string") return error.code;
  }
  return code;
}
