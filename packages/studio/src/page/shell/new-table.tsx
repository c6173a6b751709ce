import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";

/** Creates a table. */
export function NewTable(): JSX.Element {
  const studio = useStudio();
  const [name, setName] = useState<string | undefined>(undefined);
  if (name === undefined)
    return (
      <button type="button" class="quiet new-table" onClick={() => setName("")}>
        + New table
      </button>
    );
  const create = async (): Promise<void> => {
    if (await studio.createTable(name.trim())) setName(undefined);
  };
  return (
    <form
      class="new-table"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <input
        type="text"
        aria-label="Name of the new table"
        placeholder="Name"
        autocomplete="off"
        spellcheck={false}
        // The user asked for this field with the button that it replaces.
        ref={(input) => input?.focus()}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          setName(undefined);
        }}
      />
      <button type="submit" disabled={name.trim() === ""}>
        Create
      </button>
    </form>
  );
}
