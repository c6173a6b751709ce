// `pnpm test:slowed` keeps the first core busy; `pnpm check --all` has the others do something else meanwhile.
import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

const pinnedTo = (list) => ["taskset", "-c", list];
const isThere = ([program, ...args]) => spawnSync(program, [...args, "true"]).status === 0;
const last = cpus().length - 1;

/** What starts a command on the first core; undefined if programs cannot be pinned to a core here. */
export const onFirstCore = isThere(pinnedTo("0")) ? pinnedTo("0") : undefined;

/** What starts a command on the others; undefined if there are none. */
export const onOtherCores = last > 0 && isThere(pinnedTo(`1-${last}`)) ? pinnedTo(`1-${last}`) : undefined;
