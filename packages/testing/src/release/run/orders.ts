// All orders of up to a number of actions on one row: each release inserts, changes, replaces and deletes.

import type { ReleaseAct, ReleaseName } from "../release-report.ts";
import { releases } from "./pair-setting.ts";

/** An action before its values are chosen. */
export type PlannedAct = Pick<ReleaseAct, "release" | "act">;

/** The longest orders; every shorter one is a prefix of one of them. */
export function ordersOf(length: number): readonly (readonly PlannedAct[])[] {
  let orders: { readonly acts: readonly PlannedAct[]; readonly isStored: boolean }[] = [
    { acts: [], isStored: false },
  ];
  for (let i = 0; i < length; i++)
    orders = orders.flatMap(({ acts, isStored }) =>
      choices(isStored).map((next) => ({ acts: [...acts, next], isStored: next.act !== "removes" })),
    );
  return orders.map(({ acts }) => acts);
}

const choices = (isStored: boolean): readonly PlannedAct[] =>
  releases.flatMap((release: ReleaseName) =>
    (isStored ? (["changes", "replaces", "removes"] as const) : (["inserts"] as const)).map((act) => ({
      release,
      act,
    })),
  );
