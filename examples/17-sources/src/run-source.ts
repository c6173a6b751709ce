import { isDeepStrictEqual, inspect } from "node:util";
import { TableContext, type TableStorage } from "@partita/core";
import type { Item, Source } from "./item.ts";

/** Whether an item holds. It is wrong if its program observes anything but the expected value. */
export type Result = "holds" | "in part" | "not built" | "wrong";

/** A row of the printed table. */
export interface Row {
  readonly chapter: string;
  readonly title: string;
  readonly result: Result;
  /** The observed value, and why the item doesn't hold. */
  readonly notes: string;
}

/** Runs the programs of a source, those of a chapter concurrently. @param prefix - of the items' names */
export async function* runSource(storage: TableStorage, source: Source, prefix: string): AsyncGenerator<Row> {
  await source.prepare?.(storage);
  let count = 0;
  for (const { title: chapter, items } of source.chapters)
    yield* await Promise.all(
      items.map(async (item) => {
        count += 1;
        return { chapter, title: item.title, ...(await runItem(storage, item, `${prefix}item${count}`)) };
      }),
    );
}

async function runItem(
  storage: TableStorage,
  { reason, program }: Item,
  name: string,
): Promise<Pick<Row, "result" | "notes">> {
  if (program === undefined) return { result: "not built", notes: reason ?? "" };
  await using context = new TableContext(storage);
  const observed = await Promise.resolve(program.run({ storage, context, name })).catch((error) => error);
  // Some programs don't save their changes.
  context.clear({ discard: true });
  if (!isDeepStrictEqual(observed, program.expected))
    return { result: "wrong", notes: `${print(observed)}, but expected ${print(program.expected)}` };
  if (reason === undefined) return { result: "holds", notes: print(observed) };
  return { result: "in part", notes: `${print(observed)}. ${reason}` };
}

const print = (value: unknown): string =>
  inspect(value, { breakLength: Infinity, compact: true }).replaceAll("|", "\\|").replaceAll("\n", " ");
