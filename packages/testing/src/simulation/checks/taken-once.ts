import type { NamedCheck } from "./simulation-check.ts";

/**
 * Checks that no value was taken twice by `observe.claims(name).take(work)`. An undefined result means that nothing was
 * taken.
 */
export function takenOnce(): NamedCheck {
  return {
    name: "taken once",
    begin: ({ journal }) => ({
      atEnd() {
        const takers = new Map<string, string>();
        for (const { type, name, actor, outcome, result } of journal.observations) {
          if (type !== "claims" || outcome !== "done" || result === undefined) continue;
          const taken = `${name} ${JSON.stringify(result)}`;
          const other = takers.get(taken);
          if (other !== undefined) return `${taken} was taken by ${other} and by ${actor}`;
          takers.set(taken, actor);
        }
        return undefined;
      },
    }),
  };
}
