import type { Declare } from "../command-line.ts";
import { census } from "./census.ts";
import { doctor } from "./doctor.ts";
import { files } from "./files.ts";
import { generate } from "./generate.ts";
import { index } from "./index-command.ts";
import { pageRanges } from "./page-ranges.ts";
import { patterns } from "./patterns.ts";
import { serve } from "./serve.ts";
import { stress } from "./stress.ts";
import { upgrade } from "./upgrade.ts";
import { verify } from "./verify.ts";

/** The commands, in groups and in the order in which help lists them. To add one, write its file and a line here. */
export const allCommands: Readonly<Record<string, readonly Declare[]>> = {
  "Models:": [doctor, generate, census, upgrade, index, patterns, stress],
  "Storages:": [verify, pageRanges, files, serve],
};
