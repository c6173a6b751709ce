import type { Faults, SaveScenario } from "./explore-saves.ts";
import { lawsOf, type SaveText, saver, storedBefore } from "./user-saves.ts";

/** A small scenario, whose histories are explored. */
export interface SmallHistory {
  readonly name: string;
  readonly scenario: (faults: Faults) => Promise<SaveScenario>;
}

const history = (
  name: string,
  before: readonly SaveText[],
  ...programs: readonly (readonly SaveText[])[]
): SmallHistory => ({
  name,
  scenario: async (faults) => ({
    table: "Users",
    rows: await storedBefore(...before),
    programs: programs.map((saves, i) => saver(String.fromCharCode(112 + i), ...saves)),
    faults,
    laws: lawsOf,
  }),
});

const held: readonly SaveText[] = ["create IS 1 a"];
const empty: readonly SaveText[] = ["create IS 1"];

/** Programs that want the same address, or one that another program gives up. */
export const histories: readonly SmallHistory[] = [
  history("two create", [], ["create IS 1 a"], ["create NO 2 a"]),
  history("two programs create one user", [], ["create IS 1 a"], ["create IS 1 a"]),
  history("release, create", held, ["set IS 1"], ["create NO 2 a"]),
  history("change, create the old", held, ["set IS 1 b"], ["create NO 2 a"]),
  history("change, create the new", held, ["set IS 1 b"], ["create NO 2 b"]),
  history("remove and insert again, create", held, ["remove IS 1", "create IS 1 a"], ["create NO 2 a"]),
  history("release, another takes it back", held, ["set IS 1"], ["set IS 1 a"]),
  history("release, another upserts it back", held, ["set IS 1"], ["upsert IS 1 a"]),
  history("release, another writes it back over any version", held, ["set IS 1"], ["any IS 1 a"]),
  history("upsert, create", empty, ["upsert IS 1 a"], ["create NO 2 a"]),
  history("upsert of what it holds, create", held, ["upsert IS 1 a"], ["create NO 2 a"]),
  history("a write over any version, create", empty, ["any IS 1 a"], ["create NO 2 a"]),
  history(
    "create over another's user, which is removed",
    [],
    ["create IS 1 a"],
    ["create IS 1 b", "remove IS 1"],
  ),
  history("two exchange their addresses", [...held, "create NO 2 b"], ["set IS 1 b"], ["set NO 2 a"]),
  history("two of one transaction, two create", [], ["pair IS 1 a b"], ["create NO 2 b"], ["create FR 1 a"]),
  history("two transactions of two, in opposite order", [], ["pair IS 1 a b"], ["pair NO 2 b a"]),
  history("two of one transaction, one of them held", held, ["pair NO 2 b a"], ["set IS 1"]),
  history("two exchange in one transaction, create", ["pair IS 1 a b"], ["swap IS 1"], ["create NO 2 a"]),
  history("two exchange in one transaction, release", ["pair IS 1 a b"], ["swap IS 1"], ["set IS 1"]),
  history("move, create", held, ["move IS 1"], ["create NO 2 a"]),
  history("move, change", held, ["move IS 1"], ["set IS 1 b"]),
  history("move, release", held, ["move IS 1"], ["set IS 1"]),
  history("move, remove", held, ["move IS 1"], ["drop IS 1"]),
  history("move, release, take back", held, ["move IS 1"], ["set IS 1"], ["set IS 1 a"]),
  history("two programs move it", held, ["move IS 1"], ["move IS 1"]),
  history("move, change, create", held, ["move IS 1"], ["set IS 1"], ["create NO 2 a"]),
  history("three create", [], ["create IS 1 a"], ["create NO 2 a"], ["create FR 1 a"]),
  history("two programs set one user, create", empty, ["set IS 1 a"], ["set IS 1 a"], ["create NO 2 a"]),
  history(
    "two programs create one user, which is removed, create",
    [],
    ["create IS 1 a"],
    ["create IS 1 a", "remove IS 1"],
    ["create NO 2 a"],
  ),
  history("release, taken back, create", held, ["set IS 1"], ["set IS 1 a"], ["create NO 2 a"]),
  history(
    "change, create the old, create the new",
    held,
    ["set IS 1 b"],
    ["create NO 2 a"],
    ["create FR 1 b"],
  ),
  history(
    "remove and insert again, two create",
    held,
    ["remove IS 1", "create IS 1 a"],
    ["create NO 2 a"],
    ["create FR 1 a"],
  ),
  history("upsert, release, create", held, ["upsert IS 1 a"], ["set IS 1"], ["create NO 2 a"]),
];
