import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Cell, Row } from "../../api/cells.ts";
import { useStudio } from "../state/studio-context.ts";
import { AddField } from "./add-field.tsx";
import { namesOf } from "./beside-note.tsx";
import { changesOf, type DraftField, draftOf } from "./draft.ts";
import { FieldInput } from "./field-input.tsx";
import { useFields } from "./row-form.tsx";
import { SidePanel } from "./side-panel.tsx";
import { useUnstaged } from "./use-unstaged.ts";

/** A new row, empty or as another one is. @param from - the row that is cloned */
export function NewRowForm({ from }: { readonly from: Row | undefined }): JSX.Element {
  const studio = useStudio();
  const className = from === undefined ? studio.className.value : from.className;
  const fields = useFields(className);
  const [first] = useState<readonly DraftField[]>(() => newDraft(from, className, fields));
  const [draft, setDraft] = useState(first);
  useUnstaged(draft !== first);
  const change = (changed: DraftField): void =>
    setDraft(draft.map((each) => (each.name === changed.name ? changed : each)));
  const stage = (): Promise<boolean> =>
    studio.attemptOnce(async () => {
      const table = studio.table.value ?? "";
      const changes = changesOf(draft, true);
      const isKey = (name: string): boolean => name === "PartitionKey" || name === "RowKey";
      const textOf = (name: string): string => draft.find((each) => each.name === name)?.text ?? "";
      studio.staged.value = await studio.api.insert({
        table,
        ...(className === undefined
          ? {
              key: { partitionKey: textOf("PartitionKey"), rowKey: textOf("RowKey") },
              cells: changes.filter(({ name }) => !isKey(name)),
            }
          : { className, cells: changes }),
      });
      studio.showStaged();
    });
  return (
    <SidePanel
      title={from === undefined ? `New ${className ?? "row"}` : `Clone of ${className ?? "a row"}`}
      detail={from === undefined ? undefined : "Change a part of the key: two rows cannot have the same."}
      actions={
        <button type="button" class="primary" onClick={() => void stage()}>
          Stage new row
        </button>
      }
    >
      {from?.beside !== undefined && from.beside.undeclared.length > 0 && (
        <p class="warning">
          {className} does not declare {namesOf(from.beside.undeclared)}, and a clone of the class has none of
          it. Clone the row as it is stored to keep it.
        </p>
      )}
      {draft.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          isReadOnly={false}
          hasTypes={className === undefined && field.name !== "PartitionKey" && field.name !== "RowKey"}
          onChange={change}
        />
      ))}
      {className === undefined && (
        <AddField names={draft.map(({ name }) => name)} onAdd={(field) => setDraft([...draft, field])} />
      )}
    </SidePanel>
  );
}

/** Fields of a new row: parts of keys can be written, and stand first. */
function newDraft(
  from: Row | undefined,
  className: string | undefined,
  fields: Parameters<typeof draftOf>[1],
): readonly DraftField[] {
  const keys: readonly Cell[] = [
    ["PartitionKey", "String", from?.partitionKey ?? ""],
    ["RowKey", "String", from?.rowKey ?? ""],
  ];
  const cells = [...(className === undefined ? keys : []), ...(from?.cells ?? [])];
  return draftOf(cells, fields).map((field) => ({
    ...field,
    text: field.text ?? (field.isRequired ? (field.type === "Boolean" ? "false" : "") : undefined),
    isKey: false,
    before: undefined,
  }));
}
