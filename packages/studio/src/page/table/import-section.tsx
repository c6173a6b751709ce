import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Existing, ImportPreview, UntypedColumns } from "../../api/transfers.ts";
import { importFile, previewFile } from "../state/file-transfer.ts";
import { useStudio } from "../state/studio-context.ts";
import { useJob } from "../plots/use-job.ts";
import { sizeText } from "../text/counted.ts";
import { ExistingChoice } from "./existing-choice.tsx";
import { ImportProgress } from "./import-progress.tsx";
import { Preview } from "./preview.tsx";
import { Section } from "./section.tsx";
import { TypesChoice } from "./types-choice.tsx";
import { TransferResult } from "./transfer-result.tsx";
import { useTask } from "./use-task.ts";

/** A file that the user chose, and what its first rows are. */
interface Chosen {
  readonly file: File;
  readonly preview: ImportPreview;
}

/** Writes the rows of a file to the table. */
export function ImportSection(): JSX.Element {
  const studio = useStudio();
  const table = studio.table.value ?? "";
  const [chosen, setChosen] = useState<Chosen | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [existing, setExisting] = useState<Existing>("refuse");
  const [untyped, setUntyped] = useState<UntypedColumns>("infer");
  const [skipsBadLines, setSkips] = useState(false);
  const { job } = useJob("import");
  const task = useTask();
  const choose = async (file: File | undefined): Promise<void> => {
    setChosen(undefined);
    setProblem(undefined);
    if (file === undefined) return;
    try {
      setChosen({ file, preview: await previewFile(studio.api, file) });
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const start = ({ file, preview }: Chosen): void =>
    task.run(async (signal) => {
      const types = preview.isUntyped ? untyped : undefined;
      const ended = importFile(studio.api, file, { table, existing, types, skipsBadLines }, signal);
      await studio.readJobs();
      const { error, state } = await ended.finally(() => studio.readJobs());
      if (state === "failed") throw new Error(error ?? "The import failed.");
      studio.run();
    });
  return (
    <Section
      id="import"
      title="Import"
      note="Writes the rows of a file: JSON lines, a JSON array, or CSV with types, as “Export” and Azure Storage Explorer write it."
    >
      <p class="choice">
        <label for="import-file">File</label>
        <input
          id="import-file"
          type="file"
          accept=".jsonl,.ndjson,.json,.csv,.txt"
          disabled={task.isRunning}
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
        {chosen !== undefined && <span class="job-note">{sizeText(chosen.file.size)}</span>}
      </p>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {chosen !== undefined && (
        <>
          <Preview preview={chosen.preview} />
          {chosen.preview.isUntyped && <TypesChoice value={untyped} onChange={setUntyped} />}
          <ExistingChoice id="import-existing" value={existing} onChange={setExisting} />
          <label class="check">
            <input
              type="checkbox"
              checked={skipsBadLines}
              onChange={({ currentTarget }) => setSkips(currentTarget.checked)}
            />{" "}
            Skip lines that are not rows, and list them
          </label>
          <div class="job-line">
            {task.isRunning ? (
              <button type="button" onClick={task.stop}>
                Stop
              </button>
            ) : (
              <button type="button" class="primary" onClick={() => start(chosen)}>
                Import into {table}
              </button>
            )}
            {task.isRunning && <ImportProgress progress={job?.progress} size={chosen.file.size} />}
          </div>
        </>
      )}
      {task.problem !== undefined && (
        <p class="problem" role="alert">
          {task.problem}
        </p>
      )}
      {!task.isRunning && job?.state === "stopped" && (
        <p class="problem" role="alert">
          The import was stopped after {job.progress.written ?? 0} rows were written. To continue, import the
          file again and choose to replace or skip rows with the same keys.
        </p>
      )}
      {task.state === "done" && <TransferResult job={job} />}
    </Section>
  );
}
