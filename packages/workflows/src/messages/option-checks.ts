import { accepted, type Check, type CheckOptions, defineOptions, wholeNumber } from "@partita/core/internal";
import { isId } from "./queue-of.ts";

/** The id of a task or run, as an option. */
export const anId: Check<string> = accepted("a text of 1 to 200 characters", isId);

/** Delivery options of a task or workflow. */
interface DefinitionOptions {
  readonly queue?: string | undefined;
  readonly attempts?: number | undefined;
}

/** Checks the options of a definition. @throws OptionError `workflow.option` */
export const definitionCheck = (call: string): CheckOptions =>
  defineOptions<DefinitionOptions>(
    call,
    { queue: accepted("a queue's name", (value) => typeof value === "string"), attempts: wholeNumber(1) },
    "workflow.option",
  );
