/** Inserts a row with this key. */
export type Insert = (rowKey: string) => Promise<void>;

/** The results of inserts. */
export interface Load {
  readonly inserted: number;
  readonly failed: number;
}

/** Inserts rows with 16 clients until an action ends. */
export async function duringLoad(inserts: readonly Insert[], action: () => Promise<void>): Promise<Load> {
  let [inserted, failed, isOver] = [0, 0, false];
  const client = async (n: number): Promise<void> => {
    const insert = inserts[n % inserts.length] as Insert;
    for (let row = 0; !isOver; row++)
      await insert(`${n} ${row}`).then(
        () => inserted++,
        () => failed++,
      );
  };
  const clients = Array.from({ length: 16 }, (_, n) => client(n));
  await action().finally(() => (isOver = true));
  await Promise.all(clients);
  return { inserted, failed };
}
