import type { JSX } from "preact";
import { AddField } from "./add-field.tsx";
import type { DraftField } from "./draft.ts";
import type { FieldErrors } from "./use-field-errors.ts";
import { FieldInput } from "./field-input.tsx";

interface FieldsProps {
  readonly draft: readonly DraftField[];
  readonly isReadOnly?: boolean;
  /** Whether the row is edited as stored, so types can be chosen and properties added. */
  readonly isStored: boolean;
  readonly errors: FieldErrors;
  readonly onChange: (draft: readonly DraftField[]) => void;
}

/** The fields of a form, in a column. */
export function Fields({ draft, isReadOnly = false, isStored, errors, onChange }: FieldsProps): JSX.Element {
  const change = (changed: DraftField): void => {
    errors.clear(changed.name);
    onChange(draft.map((each) => (each.name === changed.name ? changed : each)));
  };
  return (
    <>
      {errors.of.size > 1 && (
        <p class="problem" role="alert">
          {errors.of.size} fields need another value.
        </p>
      )}
      {draft.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          isReadOnly={isReadOnly}
          error={errors.of.get(field.name)}
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
