import type { JSX } from "preact";
import type { Cell, Row } from "../../api/cells.ts";
import { useStudio } from "../state/studio-context.ts";
import { namesOf } from "./extras-note.tsx";
import { changesOf, type DraftField, draftOf } from "./draft.ts";
import { Fields, isKey } from "./fields.tsx";
import { useFields } from "./row-form.tsx";
import { SidePanel } from "./side-panel.tsx";
import { useDraft } from "./use-draft.ts";
import { useFieldErrors } from "./use-field-errors.ts";
import { useUnstaged } from "./use-unstaged.ts";

/** A new row, empty or a copy of another one. @param from - the row to clone */
export function NewRowForm({ from }: { readonly from: Row | undefined }): JSX.Element {
  const studio = useStudio();
  const className = from === undefined ? studio.className.value : from.className;
  const fields = useFields(className);
  const { fields: draft, isTouched, change } = useDraft(() => newDraft(from, className, fields));
  useUnstaged(isTouched);
  const errors = useFieldErrors(draft);
  const stage = (): Promise<boolean> => studio.attemptOnce(() => errors.guard(add));
  const add = async (): Promise<void> => {
    const table = studio.table.value ?? "";
    const changes = changesOf(draft, true);
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
  };
  return (
    <SidePanel
      title={from === undefined ? `New ${className ?? "row"}` : `Clone of ${className ?? "a row"}`}
      detail={
        from === undefined
          ? undefined
          : "Change a part of the key, because two rows cannot have the same key."
      }
      actions={
        <button type="button" class="primary" onClick={() => void stage()}>
          Stage new row
        </button>
      }
    >
      {from?.extras !== undefined && from.extras.undeclared.length > 0 && (
        <p class="warning">
          {className} does not declare {namesOf(from.extras.undeclared)}, so a clone does not contain them.
          Clone the row as stored to keep them.
        </p>
      )}
      <Fields draft={draft} errors={errors} isStored={className === undefined} onChange={change} />
    </SidePanel>
  );
}

/** Fields of a new row. Key parts are first and can be edited. */
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
