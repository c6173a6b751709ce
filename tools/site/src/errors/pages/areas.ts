import type { ErrorArea } from "../error-page.ts";
import { contexts, upgradePages } from "./contexts.ts";
import { entities } from "./entities.ts";
import { keys } from "./keys.ts";
import { kinds } from "./kinds.ts";
import { models } from "./models.ts";
import { patternPages } from "./patterns.ts";
import { queries } from "./queries.ts";
import { conflicts, saves } from "./saves.ts";
import { servicePages } from "./service-codes.ts";
import { blobPages, filePages, queuePages, transferPages } from "./services.ts";
import { storages } from "./storages.ts";
import { studioPages, toolPages } from "./tools.ts";
import { values } from "./values.ts";
import { outboxPages, workflowPages } from "./workflows.ts";

/** All pages about errors, by area, in the order of the overview. */
export const areas: readonly ErrorArea[] = [
  { title: "Conflicts and saves", pages: { ...conflicts, ...saves } },
  { title: "Entities", pages: entities },
  { title: "Values and plain data", pages: values },
  { title: "Keys", pages: keys },
  { title: "Queries", pages: queries },
  { title: "Contexts", pages: contexts },
  { title: "Storage", pages: storages },
  { title: "Responses of a service", pages: servicePages },
  { title: "Declarations of classes", pages: models },
  { title: "Kinds", pages: kinds },
  { title: "Upgrades", pages: upgradePages },
  { title: "Access patterns", pages: patternPages },
  { title: "Tasks and workflows", pages: workflowPages },
  { title: "Outbox", pages: outboxPages },
  { title: "Queues", pages: queuePages },
  { title: "Files", pages: filePages },
  { title: "Import, export and copy", pages: transferPages },
  { title: "Page blobs", pages: blobPages },
  { title: "Servers, jobs and tests", pages: toolPages },
  { title: "Studio", pages: studioPages },
];
