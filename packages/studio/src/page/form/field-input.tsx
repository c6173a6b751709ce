import type { JSX } from "preact";
import { type CellType, edmTypes } from "../../api/cells.ts";
import { printable } from "../text/printable.ts";
import { type DraftField, isChanged, warningOf } from "./draft.ts";
import { fieldId } from "./use-field-errors.ts";

interface FieldProps {
  readonly field: DraftField;
  readonly isReadOnly: boolean;
  /** Whether the user can choose the type, as in stored rows. */
  readonly hasTypes: boolean;
  /** The reason why its value is refused. */
  readonly error?: string | undefined;
  readonly onChange: (field: DraftField) => void;
}

/** One property of a form, with its type, and whether it has a value. */
export function FieldInput({ field, isReadOnly, hasTypes, error, onChange }: FieldProps): JSX.Element {
  const { name, type, text, isKey, isRequired } = field;
  const id = fieldId(name);
  const warning = warningOf(field);
  const isFixed = isReadOnly || isKey;
  return (
    <div class="field" data-changed={isChanged(field)} data-wrong={error !== undefined}>
      <div class="field-head">
        <label for={id}>{printable(name)}</label>
        {hasTypes && !isFixed ? (
          <select
            class="type"
            aria-label={`Type of ${name}`}
            value={type}
            onChange={({ currentTarget }) => onChange({ ...field, type: currentTarget.value as CellType })}
          >
            {edmTypes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        ) : (
          <span class="type">{type}</span>
        )}
        {isKey && <span class="tag">key</span>}
        <span class="space" />
        {!isFixed && text !== undefined && !isRequired && (
          <button
            type="button"
            class="quiet"
            aria-label={`Clear ${name}`}
            onClick={() => onChange({ ...field, text: undefined })}
          >
            clear
          </button>
        )}
        {!isFixed && text === undefined && (
          <button
            type="button"
            id={`${id}-set`}
            class="quiet"
            aria-label={`Set ${name}`}
            aria-describedby={error === undefined ? undefined : `${id}-error`}
            onClick={() => onChange({ ...field, text: type === "Boolean" ? "false" : "" })}
          >
            set
          </button>
        )}
      </div>
      {text === undefined ? (
        <p class="absent">no value</p>
      ) : (
        <ValueInput
          id={id}
          field={field}
          text={text}
          isFixed={isFixed}
          isWrong={error !== undefined}
          onChange={onChange}
        />
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class="problem">
          {error}
        </p>
      )}
      {warning !== undefined && <p class="warning">{warning}</p>}
    </div>
  );
}

interface ValueProps extends Pick<FieldProps, "field" | "onChange"> {
  readonly id: string;
  readonly text: string;
  readonly isFixed: boolean;
  readonly isWrong: boolean;
}

function ValueInput({ id, field, text, isFixed, isWrong, onChange }: ValueProps): JSX.Element {
  const { type, values } = field;
  const about = {
    id,
    "aria-invalid": isWrong,
    "aria-describedby": isWrong ? `${id}-error` : undefined,
  };
  const write = (written: string): void => onChange({ ...field, text: written });
  const choices = type === "Boolean" ? ["true", "false"] : values;
  if (choices !== undefined && !isFixed)
    return (
      <select {...about} value={text} onChange={({ currentTarget }) => write(currentTarget.value)}>
        {!choices.includes(text) && <option>{text}</option>}
        {choices.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    );
  if (type === "String" || type === "Json" || type === "Binary")
    return (
      <textarea
        {...about}
        value={text}
        readOnly={isFixed}
        spellcheck={false}
        rows={Math.min(10, text.split("\n").length + Math.floor(text.length / 60))}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
    );
  return (
    <input
      {...about}
      type="text"
      value={text}
      readOnly={isFixed}
      inputMode={type.startsWith("Int") ? "numeric" : "text"}
      spellcheck={false}
      autocomplete="off"
      onInput={({ currentTarget }) => write(currentTarget.value)}
    />
  );
}
