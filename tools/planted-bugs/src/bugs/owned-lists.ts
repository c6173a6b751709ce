import type { Bug, Suite } from "../bug.ts";

/** Random histories of owned lists, compared with a model. */
const model: Suite = {
  project: "laws: core",
  files: ["packages/core/test/features/owned-lists/owned-lists.law.test.ts"],
};

/** Single histories for cases that are too rare in random ones. */
const histories: Suite = {
  project: "unit: core",
  files: ["packages/core/test/features/owned-lists/list-histories.test.ts"],
};

/** Bugs in the comparison of lists by a save. */
export const ownedListBugs: readonly Bug[] = [
  {
    caughtBy: model,
    name: "a list deletes a member that it never contained",
    function: "takeOut",
    find: `if ($LIST.unseen.has($MEMBER)) return;`,
  },
  {
    caughtBy: histories,
    name: "a list undoes a delete that a call requested",
    function: "removeWithMembers",
    find: `$TRACKER.entities.lists.ofMember($ENTRY.entity)?.takenOut.delete($ENTRY.entity);`,
  },
  {
    caughtBy: model,
    name: "a list loses track of the members it contained",
    function: "compareList",
    find: `$ENTITIES.lists.show($LIST, $MEMBER);`,
  },
  {
    caughtBy: model,
    name: "a list that is read again loses added members",
    function: "membersRead",
    find: `$MEMBERS.push($MEMBER)`,
    replace: `$MEMBER`,
  },
  {
    caughtBy: model,
    name: "a detached member is added again",
    function: "compareList",
    find: `!$LIST.shown.has($MEMBER)`,
    replace: `true`,
  },
  {
    caughtBy: model,
    name: "members leave a list although their delete is refused",
    function: "takeOut",
    find: `$LIST.takenOut.add($MEMBER);`,
  },
];
