import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type DraftField, draftField } from "./draft.ts";

interface AddFieldProps {
  /** Existing names of the row. */
  readonly names: readonly string[];
  readonly onAdd: (field: DraftField) => void;
}

/** Adds a property to a stored row. */
export function AddField({ names, onAdd }: AddFieldProps): JSX.Element {
  const [name, setName] = useState("");
  const isFree = name !== "" && !names.includes(name);
  const add = (): void => {
    if (!isFree) return;
    onAdd({ ...draftField(name, "String", undefined, { isKey: false, isRequired: false }), text: "" });
    setName("");
  };
  return (
    <div class="add-field">
      <input
        type="text"
        aria-label="Name of a new property"
        placeholder="New property"
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === "Enter") add();
        }}
      />
      <button type="button" disabled={!isFree} onClick={add}>
        Add
      </button>
    </div>
  );
}
