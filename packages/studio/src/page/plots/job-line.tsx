import type { ComponentChildren, JSX } from "preact";
import type { JobProgress } from "../../api/jobs.ts";
import type { TableJob } from "./use-job.ts";

interface JobLineProps {
  readonly work: TableJob;
  readonly label: string;
  readonly note: string;
  /** Buttons that start it in another way. */
  readonly children?: ComponentChildren;
}

const phases: Readonly<Record<string, string>> = {
  begin: "Beginning",
  count: "Counting",
  survey: "Reading keys",
  upgrade: "Upgrading",
  verify: "Verifying",
  import: "Importing",
  copy: "Copying",
};

/** Starts and stops a job, and shows its progress. */
export function JobLine({ work, label, note, children }: JobLineProps): JSX.Element {
  const { job, start, stop } = work;
  const isRunning = job?.state === "running";
  return (
    <div class="job">
      <div class="job-line">
        {isRunning ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <>
            <button type="button" class="primary" onClick={() => start()}>
              {label}
            </button>
            {children}
          </>
        )}
        <span class="job-note">{isRunning ? undefined : note}</span>
        {isRunning && <Progress work={work} />}
      </div>
      {job?.state === "stopped" && <p class="problem">The job was stopped. Start it again to continue.</p>}
      {job?.error !== undefined && (
        <p class="problem" role="alert">
          {job.error}
        </p>
      )}
    </div>
  );
}

function Progress({ work: { job } }: { readonly work: TableJob }): JSX.Element | null {
  if (job === undefined) return null;
  const { phase, read, total } = job.progress;
  const share = total === undefined || total === 0 ? undefined : Math.min(1, read / total);
  return (
    <span class="progress">
      <progress aria-label={phases[phase] ?? phase} {...(share !== undefined && { value: share })} max={1} />
      <span aria-live="polite">{progressText(job.progress)}</span>
    </span>
  );
}

/** The progress in words. The upgraded rows are some of the rows read, and in later passes those of all passes. */
export function progressText({ phase, pass = 1, read, total, upgraded, written }: JobProgress): string {
  const name = phases[phase] ?? phase;
  const rows = `${read.toLocaleString("en")}${total === undefined ? "" : ` of ${total.toLocaleString("en")}`} rows`;
  if (written !== undefined) return `${name}: ${rows} read, ${written.toLocaleString("en")} written`;
  if (phase !== "upgrade") return `${name}: ${rows}`;
  const stored = upgraded.toLocaleString("en");
  return pass === 1
    ? `${name}: ${rows} read, ${stored} of them upgraded`
    : `${name}, pass ${pass}: ${rows} read; ${stored} upgraded in all passes`;
}
