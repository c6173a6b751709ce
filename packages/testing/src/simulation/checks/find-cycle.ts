/** A directed edge: one thing comes before another. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/** Finds edges that form a cycle; undefined if there is none. */
export function findCycle(links: readonly Link[]): Link[] | undefined {
  const next = new Map<number, Link[]>();
  for (const link of links) next.set(link.from, [...(next.get(link.from) ?? []), link]);
  const over = new Set<number>();
  const way: Link[] = [];
  const search = (at: number): Link[] | undefined => {
    const since = way.findIndex(({ from }) => from === at);
    if (since >= 0) return way.slice(since);
    if (over.has(at)) return undefined;
    for (const link of next.get(at) ?? []) {
      way.push(link);
      const cycle = search(link.to);
      if (cycle !== undefined) return cycle;
      way.pop();
    }
    over.add(at);
    return undefined;
  };
  for (const from of next.keys()) {
    const cycle = search(from);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
