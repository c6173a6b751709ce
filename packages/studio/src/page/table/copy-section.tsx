import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Existing } from "../../api/transfers.ts";
import { JobLine } from "../plots/job-line.tsx";
import { useJob } from "../plots/use-job.ts";
import { useStudio } from "../state/studio-context.ts";
import { ExistingChoice } from "./existing-choice.tsx";
import { Section } from "./section.tsx";
import { TransferResult } from "./transfer-result.tsx";

/** Copies the table. The copy continues while the page is closed. */
export function CopySection(): JSX.Element {
  const studio = useStudio();
  const table = studio.table.value ?? "";
  const [target, setTarget] = useState("");
  const [as, setAs] = useState(table);
  const [existing, setExisting] = useState<Existing>("refuse");
  const work = useJob("copy");
  const start = (): void => work.start({ copy: { target: target.trim(), as, existing } });
  return (
    <Section
      id="copy"
      title="Copy"
      note="Copies all rows with their exact values and types. You can close the page meanwhile, and start a stopped copy again to continue it."
    >
      <p class="choice">
        <label for="copy-target">To storage</label>
        <input
          id="copy-target"
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder="this storage, or file:copy.db, or a connection string"
          value={target}
          onInput={({ currentTarget }) => setTarget(currentTarget.value)}
        />
      </p>
      <p class="choice">
        <label for="copy-as">As table</label>
        <input
          id="copy-as"
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={as}
          onInput={({ currentTarget }) => setAs(currentTarget.value)}
        />
      </p>
      <ExistingChoice id="copy-existing" value={existing} onChange={setExisting} />
      <JobLine work={{ ...work, start }} label="Copy" note={`Reads all rows of ${table}.`} />
      <TransferResult job={work.job} />
    </Section>
  );
}
