import { abortSignal, accepted, type CheckOptions, defineOptions, required } from "@partita/core/internal";

/** Options for destroying a file system. */
export interface DestroyOptions {
  /** The name of the file system. */
  readonly confirm: string;
  /** Aborts the call. A later call continues it. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws OptionError `file.option` */
export const checkDestroy = (name: string): CheckOptions =>
  defineOptions<DestroyOptions>(
    "destroy(options)",
    {
      confirm: required(
        accepted(`the name of the file system, ${JSON.stringify(name)}`, (value) => value === name),
      ),
      signal: abortSignal,
    },
    "file.option",
  );
