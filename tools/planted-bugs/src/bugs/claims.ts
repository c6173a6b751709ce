import type { Bug, Suite } from "../bug.ts";

/** Random histories of small scenarios: each of these bugs lets two users have one address, or refuses a free one. */
const law: Suite = {
  project: "laws: core",
  files: ["packages/core/test/work/claims/saves/explore-saves.law.test.ts"],
  env: { PARTITA_CLAIM_RUNS: "300", PARTITA_CLAIM_SEED: "1" },
};

/** Fixed histories of the same scenarios, which random ones seldom reach. */
const rare: Suite = {
  project: "unit: core",
  files: ["packages/core/test/work/claims/saves/rare-histories.test.ts"],
};

/** Bugs in claims of values that are unique over a table: each breaks one rule of the protocol. */
export const claimBugs: readonly Bug[] = [
  {
    caughtBy: law,
    name: "a marker of another program counts as proof of a claimed transaction",
    function: "closeMarker",
    find: `isClosedMarker($ROW) ? "never" : "applied"`,
    replace: `"applied"`,
  },
  {
    caughtBy: law,
    name: "a claim that another program ended is reported as a value that is taken",
    function: "#isAgain",
    find: `isFenced($FIRST) || isTooOldError($ERROR)`,
    replace: `(() => {
      if (isFenced($FIRST)) throw new UniqueValueTaken(claimedBy(changes)[0].index, [], 0, "unique");
      return isTooOldError($ERROR);
    })()`,
  },
  {
    caughtBy: law,
    name: "a claim of the same entity is used by another transaction",
    function: "claimValue",
    find: `$FOUND?.claim === claim.id`,
    replace: `$FOUND !== undefined && isSameKey($FOUND.holders[0], value.holders[0])`,
  },
  {
    caughtBy: law,
    name: "a claim is taken over without an end of its transaction",
    function: "fence",
    find: `$WRITTEN !== "unclear"`,
    given: `const $WRITTEN = await tryWrite($PORT, $OPERATION);`,
    replace: `false`,
  },
  {
    caughtBy: law,
    name: "the row that a reservation names is not read again after its transaction was first",
    function: "claimValue",
    find: `await fence($PORT, $FOUND);`,
    replace: `await fence($PORT, $FOUND); etag = await write($FOUND.etag); continue;`,
  },
  {
    caughtBy: law,
    name: "a release deletes a reservation that has changed since it was read",
    function: "releaseValue",
    find: `$FOUND.etag`,
    replace: `"*"`,
  },
  {
    caughtBy: law,
    name: "a refused save deletes its reservation although its row holds the value",
    function: "withdrawClaim",
    find: `await holdsValue($PORT, $VALUE, $HOLDER)`,
    replace: `false`,
  },
  {
    caughtBy: law,
    name: "unconditional writes do not claim their values",
    function: "claimedBy",
    find: `overTable($CHANGE, isTaken)`,
    replace: `$CHANGE.unconditional === undefined ? overTable($CHANGE, isTaken) : []`,
  },
  {
    caughtBy: law,
    name: "a refusal after a lost response is reported before the claim is ended",
    function: "sendBatch",
    find: `$DOUBT === undefined ? rejected($CHANGES, $FAILURE, $CULPRIT, $TRIES) : $PROVED`,
    replace: `$DOUBT === undefined || $FAILURE.applied === "no" ? rejected($CHANGES, $FAILURE, 0, $TRIES) : $PROVED`,
  },
  {
    caughtBy: rare,
    name: "an earlier claim of the same entity is not ended",
    function: "claimValue",
    find: `await fence($PORT, $FOUND);`,
    replace: `if (!isSameKey($FOUND.holders[0], value.holders[0])) await fence($PORT, $FOUND);`,
  },
  {
    caughtBy: rare,
    name: "a release deletes the reservation of a newer claim",
    function: "releaseValue",
    find: `$FOUND?.claim !== claim || $ONLY === undefined`,
    replace: `$ONLY === undefined`,
  },
  {
    caughtBy: rare,
    name: "a move of a row names only its new key in the reservation",
    function: "nameBothKeys",
    find: `[...$HOLDERS, $TO]`,
    replace: `[$TO]`,
  },
  {
    caughtBy: rare,
    name: "a move of a row leaves the reservation with its old key",
    function: "nameBothKeys",
    find: `[...$HOLDERS, $TO]`,
    replace: `$HOLDERS`,
  },
  {
    caughtBy: rare,
    name: "a program that slept for an hour trusts that a marker is missing",
    function: "askMarker",
    find: `mayBeSwept($ATTEMPT)`,
    replace: `false`,
  },
  {
    caughtBy: rare,
    name: "a program that slept for an hour uses its claim",
    function: "isTooOld",
    find: `Math.max($A, $B) > longestMs`,
    replace: `false`,
  },
];
