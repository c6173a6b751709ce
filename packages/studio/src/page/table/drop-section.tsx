import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";
import { Section } from "./section.tsx";

/** Deletes the table, after the user has typed its name. */
export function DropSection(): JSX.Element {
  const studio = useStudio();
  const table = studio.table.value ?? "";
  const [typed, setTyped] = useState("");
  return (
    <Section
      id="drop"
      title="Delete table"
      note="Deletes the table with all of its rows. This cannot be undone."
    >
      <form
        class="choice"
        onSubmit={(event) => {
          event.preventDefault();
          void studio.dropTable(table, typed);
        }}
      >
        <label for="drop-name">
          Type <code>{table}</code>
        </label>
        <input
          id="drop-name"
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <button type="submit" class="danger" disabled={typed !== table}>
          Delete {table}
        </button>
      </form>
    </Section>
  );
}
