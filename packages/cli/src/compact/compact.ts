import type { CompactStep } from "@partita/maintenance";
import { inSession } from "../session/session.ts";
import { checkStorageFile, fileTarget } from "../storage/storage-file.ts";
import { formatBytes } from "../terminal/amounts.ts";

/** Options as given. */
interface CompactOptions {
  /** In seconds. */
  readonly wait?: number;
}

/** `partita compact`: makes a file smaller. Returns the exit code: 1 if other programs still read its old pages. */
export const compact = ([file = ""]: readonly string[], { wait = 30 }: CompactOptions): Promise<number> =>
  inSession(
    async ({ out, bar, say, signal }) => {
      const target = fileTarget(file);
      checkStorageFile(target, false);
      const { compactDatabase } = await import("@partita/maintenance");
      const { bytesBefore, bytesAfter, isComplete } = await compactDatabase(target, {
        busyTimeoutMs: wait * 1000,
        signal,
        onProgress: ({ step }) => bar.say(`${file}  ${steps[step]}`),
      });
      bar.end();
      await out.line(`${file}: ${formatBytes(bytesBefore)} before, ${formatBytes(bytesAfter)} now.`);
      if (isComplete) return 0;
      say(
        `Another program still reads old pages of ${file}. The file gets smaller when that program has finished and any program writes.`,
      );
      return 1;
    },
    () => "The file has all its rows.",
  );

const steps: Readonly<Record<CompactStep, string>> = {
  "waiting-for-writers": "waiting for programs that write",
  rewriting: "rewriting the file",
  "waiting-for-readers": "waiting for programs that read old pages",
};
