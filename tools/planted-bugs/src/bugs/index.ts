import type { Bug } from "../bug.ts";
import { unitOfWorkBugs } from "./unit-of-work.ts";

/** Every bug that tests must catch. */
export const bugs: readonly Bug[] = [...unitOfWorkBugs];
