import type { Bug, Suite } from "../bug.ts";

const unit = (file: string): Suite => ({
  project: "unit: studio",
  files: [`packages/studio/test/${file}`],
});

/** Bugs in the studio's page that would lose an edit or give access to another program. */
export const studioBugs: readonly Bug[] = [
  {
    name: "an edit in the studio interleaves with a save of its row",
    function: "constructor",
    find: `new $CATALOG.core.Semaphore(1)`,
    replace: `new $CATALOG.core.Semaphore(9)`,
    caughtBy: unit("server/staged-by-tabs.test.ts"),
  },
  {
    name: "the studio stages an edit of an outdated form",
    function: "#checkSeen",
    find: `this.#of($ID).etagOf($ID) !== $ETAG`,
    replace: `false`,
    caughtBy: unit("server/staged-by-tabs.test.ts"),
  },
  {
    name: "the studio responds to other host names",
    function: "checkRequest",
    find: `$HOST === undefined || !$HOSTS.includes($HOST)`,
    replace: `$HOST === undefined`,
    caughtBy: unit("server/check-request.test.ts"),
  },
  {
    name: "a number that JSON cannot write clears a property in the studio",
    function: "parseNumber",
    find: `$WORD === "" || !Number.isFinite($VALUE)`,
    replace: `$WORD === "" || Number.isNaN($VALUE)`,
    caughtBy: unit("page/text.test.ts"),
  },
];
