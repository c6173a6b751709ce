import { isLost } from "./rules.ts";
import type { Rules } from "./state.ts";

/** A rule that was once thought enough, where it shows, and the law that it breaks. */
export const weakerRules = [
  ["identity by request", "content: merge under *", "2"],
  ["identity by request", "content: replace", "2"],
  ["final unknown ends", "content: replace", "2"],
  ["final unknown ends", "content: upsert", "2"],
  ["absence is disproof", "content: insert", "2"],
  ["over is noted after reading", "content: atomic {merge, insert}", "2"],
  ["refusal is a response", "content: merge", "2"],
  ["gone is committed", "marker: merge, deleted", "1"],
  ["gone is unknown", "marker: merge, deleted", "7"],
  ["group is split", "content: atomic {delete, insert}", "3"],
  ["edit leaves its group", "content: atomic {delete, insert}, edited", "3"],
  ["new marker before the old one is closed", "marker: insert", "4"],
  ["new marker before the old one is closed", "marker: merge under *", "4"],
  ["markers are numbered by each context", "marker: two contexts, merge", "1"],
  ["absent marker is proof for ever", "marker: merge, swept", "2"],
  ["closed marker is proof for ever", "marker: merge, swept", "2"],
  ["old marker is sent again", "marker: upsert, swept", "4"],
  ["handled message is no proof", "marker: upsert, outbox", "2"],
  ["any row in the place is proof", "marker: insert, outbox", "1"],
  ["handled message is removed", "marker: upsert, outbox", "4"],
  ["old place is sent", "marker: upsert, outbox, swept", "2"],
  ["delayed upsert ends with its intention", "content: upsert, delayed", "8"],
  ["delayed upsert ends with its minute", "content: upsert, delayed", "8"],
  ["older proof is taken over", "content: upsert, delayed", "8"],
  ["deleted row is not read again", "content: upsert, delayed, deleted", "8"],
  ["delayed upsert is forgotten after one read", "content: upsert, delayed", "8"],
] as const;

export type Weakness = (typeof weakerRules)[number][0];

/** The rules, with one of them weakened. */
export function rulesOf(rules: Rules, weak: Weakness | undefined): Rules {
  if (weak !== "absence is disproof") return rules;
  return {
    ...rules,
    judge: (attempt, rowOf, isEqual, wasOver) => {
      const isAbsent = attempt.operations.every((one) => one.type !== "delete" && rowOf(one) === undefined);
      return wasOver && isAbsent && isLost(attempt) ? "never" : rules.judge(attempt, rowOf, isEqual, wasOver);
    },
  };
}
