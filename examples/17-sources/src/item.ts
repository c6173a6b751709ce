import { SaveError, TableContext, TableError, type TableStorage } from "@partita/core";

/** The tools of an item's program. Its own name keeps its rows apart from those of other items. */
export interface Place {
  readonly storage: TableStorage;
  readonly context: TableContext;
  readonly name: string;
}

/** An item of a source. Without a program, it is not built. */
export interface Item {
  readonly title: string;
  /** Why it doesn't hold, or not completely. */
  readonly reason?: string;
  readonly program?: {
    readonly expected: unknown;
    run(place: Place): unknown;
  };
}

/** Items of one section of a source. */
export interface Chapter {
  readonly title: string;
  readonly items: readonly Item[];
}

/** A document that Partita is built from. */
export interface Source {
  readonly title: string;
  /** Creates the tables that the programs use. */
  prepare?(storage: TableStorage): Promise<void>;
  readonly chapters: readonly Chapter[];
}

/** An item that holds if its program observes what is expected. */
export function holds<Observed>(
  title: string,
  expected: Observed,
  run: (place: Place) => Promise<Observed> | Observed,
): Item {
  return { title, program: { expected, run } };
}

/** An item that holds with an exception. */
export function inPart<Observed>(
  title: string,
  reason: string,
  expected: Observed,
  run: (place: Place) => Promise<Observed> | Observed,
): Item {
  return { title, reason, program: { expected, run } };
}

/** An item that doesn't hold. */
export const notBuilt = (title: string, reason: string): Item => ({ title, reason });

/** The code of the error that some work throws. For a failed save, it is the code of the first change that failed. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return "no error";
  } catch (error) {
    const ofChange =
      error instanceof SaveError && error.code !== "save.not-atomic"
        ? error.results.find((result) => result.error)?.error
        : undefined;
    const cause = ofChange ?? error;
    if (cause instanceof TableError) return cause.code;
    throw error;
  }
}

/** Everything that an iterable or a stream has. */
export async function listOf<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}
