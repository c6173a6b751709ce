import type { JSX } from "preact";
import type { JobProgress } from "../../api/jobs.ts";
import { progressText } from "../plots/job-line.tsx";
import { sizeText } from "../text/counted.ts";

interface ProgressProps {
  readonly progress: JobProgress | undefined;
  /** Bytes of the file. */
  readonly size: number;
}

/** How much of a file was read, and how many of its rows were written. */
export function ImportProgress({ progress, size }: ProgressProps): JSX.Element {
  const bytes = progress?.phase === "import" ? (progress.bytes ?? 0) : 0;
  return (
    <span class="progress">
      <progress aria-label="Import" value={size === 0 ? 1 : Math.min(1, bytes / size)} max={1} />
      <span role="status">
        {progress?.phase === "import" ? progressText(progress) : "Beginning"}; {sizeText(bytes)} of{" "}
        {sizeText(size)}
      </span>
    </span>
  );
}
