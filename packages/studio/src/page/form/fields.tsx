import type { JSX } from "preact";
import { AddField } from "./add-field.tsx";
import type { DraftField } from "./draft.ts";
import { FieldInput } from "./field-input.tsx";

interface FieldsProps {
  readonly draft: readonly DraftField[];
  readonly isReadOnly?: boolean;
  /** Whether the row is edited as stored, so types can be chosen and properties added. */
  readonly isStored: boolean;
  readonly onChange: (draft: readonly DraftField[]) => void;
}

/** The fields of a form, in a column. */
export function Fields({ draft, isReadOnly = false, isStored, onChange }: FieldsProps): JSX.Element {
  const change = (changed: DraftField): void =>
    onChange(draft.map((each) => (each.name === changed.name ? changed : each)));
  return (
    <>
      {draft.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          isReadOnly={isReadOnly}
          hasTypes={isStored && !isKey(field.name)}
          onChange={change}
        />
      ))}
      {isStored && !isReadOnly && (
        <AddField names={draft.map(({ name }) => name)} onAdd={(field) => onChange([...draft, field])} />
      )}
    </>
  );
}

/** Whether a property of a stored row is its PartitionKey or RowKey. */
export const isKey = (name: string): boolean => name === "PartitionKey" || name === "RowKey";
