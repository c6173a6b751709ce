import type { JSX } from "preact";
import type { Job } from "../../api/jobs.ts";
import { counted } from "../text/counted.ts";
import { printable } from "../text/printable.ts";

/** The result of an import or a copy, with the first rows that were not written. */
export function TransferResult({ job }: { readonly job: Job | undefined }): JSX.Element | null {
  const summary = job?.transfer;
  if (job === undefined || job.state === "running") return null;
  if (summary === undefined) return null;
  const { written, skipped, omitted, refused, problems } = summary;
  const others = [
    skipped > 0 && `${counted(skipped, "existing row")} unchanged`,
    omitted > 0 && `${counted(omitted, "row")} of messages and markers left out`,
    refused > 0 && `${counted(refused, "row")} not written`,
  ].filter((text) => text !== false);
  return (
    <div role="status">
      <p class="outcome" data-clean={refused === 0}>
        {[`${counted(written, "row")} written`, ...others].join(", ")}.
      </p>
      {problems.length > 0 && (
        <ul class="problems">
          {problems.map((problem) => (
            <li key={problem}>{printable(problem)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
