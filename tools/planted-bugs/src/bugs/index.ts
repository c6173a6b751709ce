import type { Bug } from "../bug.ts";
import { claimBugs } from "./claims.ts";
import { codecBugs } from "./codec.ts";
import { edgeBugs } from "./edges.ts";
import { fileBugs } from "./files.ts";
import { indexBugs } from "./indexes.ts";
import { ownedListBugs } from "./owned-lists.ts";
import { queueBugs } from "./queues.ts";
import { recoveryBugs } from "./recovery.ts";
import { simulatedBugs } from "./simulation.ts";
import { storeBugs } from "./store.ts";
import { studioBugs } from "./studio.ts";
import { unitOfWorkBugs } from "./unit-of-work.ts";
import { validationBugs } from "./validation.ts";

const ofTests: readonly Bug[] = [
  ...unitOfWorkBugs,
  ...ownedListBugs,
  ...recoveryBugs,
  ...storeBugs,
  ...edgeBugs,
  ...codecBugs,
  ...indexBugs,
  ...claimBugs,
  ...queueBugs,
  ...fileBugs,
  ...studioBugs,
  ...validationBugs,
];

/** Every bug that tests must catch. */
export const bugs: readonly Bug[] = [...ofTests, ...simulatedBugs(ofTests)];
