import type { Bug, Suite } from "../bug.ts";

const tests = "packages/queues/test/tables";

/** Histories of programs that share a queue, without and with faults. */
const histories: Suite = { project: "laws: queues", files: [`${tests}/queues.law.test.ts`] };

/** Programs with one queue, in every order of their requests. */
const rivals: Suite = { project: "laws: queues", files: [`${tests}/rivals.law.test.ts`] };

const unit: Suite = { project: "unit: queues", files: [`${tests}/table-queues.test.ts`] };

/** Bugs in table queues. */
export const queueBugs: readonly Bug[] = [
  {
    name: "a receive with a lost response counts as applied",
    function: "wasStored",
    find: `(await $READ.catch($FAILED)) !== undefined`,
    replace: `true`,
    caughtBy: histories,
  },
  {
    name: "a receive is not counted",
    function: "#claim",
    find: `deliveriesOf($ROW) + 1`,
    replace: `Math.max(1, deliveriesOf($ROW))`,
    caughtBy: histories,
  },
  {
    name: "a remove with an outdated receipt succeeds",
    function: "remove",
    find: `if (isRaceLost($ERROR)) throw $LOST;`,
    replace: `if (isRaceLost($ERROR)) return;`,
    caughtBy: histories,
  },
  {
    name: "a delayed message is visible immediately",
    function: "#visible",
    find: `visibleFrom($NOW + 1)`,
    replace: `visibleFrom($NOW + 3_000)`,
    caughtBy: histories,
  },
  {
    name: "a clear misses messages that move meanwhile",
    function: "removeMessages",
    find: `if ($REMOVED < $ROWS.length) $MOVING = true;`,
    caughtBy: unit,
  },
  {
    name: "a delayed deletion removes messages of the new queue",
    function: "#endDeletion",
    find: `ofGeneration($GENERATION)`,
    replace: `undefined`,
    caughtBy: rivals,
  },
  {
    name: "a wrong clock removes messages that have not expired",
    function: "#removeExpired",
    find: `Math.min($NOW, $STORE)`,
    replace: `$NOW`,
    caughtBy: unit,
  },
  {
    name: "receivers of one program claim the same messages",
    function: "#takeFrom",
    find: `!$CLAIMED.has($KEY)`,
    replace: `true`,
    caughtBy: unit,
  },
];
