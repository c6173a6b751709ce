import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ExportRequest, FileForm } from "../../api/transfers.ts";
import { exportFile, type ExportProgress, saveFile } from "../state/file-transfer.ts";
import { keyOf } from "../state/row-keys.ts";
import { useStudio } from "../state/studio-context.ts";
import { counted, sizeText } from "../text/counted.ts";
import { printable } from "../text/printable.ts";
import { Section } from "./section.tsx";
import { useTask } from "./use-task.ts";

type Scope = ExportRequest["scope"];

/** Saves rows of the table in a file. */
export function ExportSection(): JSX.Element {
  const studio = useStudio();
  const selected = [...studio.selected.value.values()];
  const { table, className, text, allowScan } = { ...studio.query(), ...studio.ran.value };
  const [scope, setScope] = useState<Scope>(selected.length > 0 ? "selection" : "table");
  const [format, setFormat] = useState<FileForm>("jsonl");
  const [progress, setProgress] = useState<ExportProgress | undefined>(undefined);
  const task = useTask();
  const start = (): void =>
    task.run(async (signal) => {
      setProgress({ rows: 0, bytes: 0 });
      const keys = selected.map(keyOf);
      const asked = {
        table,
        className,
        text,
        allowScan,
        format,
        scope,
        ...(scope === "selection" && { keys }),
      };
      const file = await exportFile(studio.api, asked, signal, setProgress);
      saveFile(`${table}.${format}`, file);
    });
  const options: readonly (readonly [Scope, string, boolean])[] = [
    ["table", `All rows of ${table}`, true],
    [
      "query",
      text === "" ? `All rows of ${className ?? "a query"}` : `${className ?? table} where ${text}`,
      className !== undefined || text !== "",
    ],
    ["selection", counted(selected.length, "selected row"), selected.length > 0],
  ];
  return (
    <Section id="export" title="Export" note="Saves rows in a file, with the exact types of their values.">
      <fieldset class="choices">
        <legend>Rows</legend>
        {options.map(([value, label, isPossible]) => (
          <label key={value} data-disabled={!isPossible}>
            <input
              type="radio"
              name="scope"
              checked={scope === value}
              disabled={!isPossible}
              onChange={() => setScope(value)}
            />
            <span>{printable(label)}</span>
          </label>
        ))}
      </fieldset>
      <p class="choice">
        <label for="export-format">Format</label>
        <select
          id="export-format"
          value={format}
          onChange={({ currentTarget }) => setFormat(currentTarget.value as FileForm)}
        >
          <option value="jsonl">JSON, one row per line</option>
          <option value="csv">CSV with types</option>
        </select>
      </p>
      <div class="job-line">
        {task.isRunning ? (
          <button type="button" onClick={task.stop}>
            Stop
          </button>
        ) : (
          <button type="button" class="primary" onClick={start}>
            Export
          </button>
        )}
        {progress !== undefined && (
          <span class="progress" role="status">
            {task.isRunning && <progress aria-label="Export" max={1} />}
            {task.state === "done" && `${table}.${format}: `}
            {task.state === "failed"
              ? ""
              : progress.bytes === 0 && task.isRunning
                ? "Reading …"
                : `${counted(progress.rows, "row")}, ${sizeText(progress.bytes)}`}
            {task.state === "stopped" && ". The export was stopped, so no file was saved."}
          </span>
        )}
      </div>
      {task.problem !== undefined && (
        <p class="problem" role="alert">
          {task.problem}
        </p>
      )}
    </Section>
  );
}
