import { useLayoutEffect, useState } from "preact/hooks";
import { ApiError } from "../state/api-client.ts";
import { type DraftField, DraftError } from "./draft.ts";

/** The errors of a form, by the names of its fields. */
export interface FieldErrors {
  readonly of: ReadonlyMap<string, string>;
  /**
   * Runs an action. Errors of fields are shown at them, and the first wrong field takes the focus.
   *
   * @throws other errors
   */
  readonly guard: (work: () => Promise<void>) => Promise<void>;
  /** Removes the error of a field that the user changes. */
  readonly clear: (name: string) => void;
}

const none: ReadonlyMap<string, string> = new Map();

/** @param fields - in the order of the form */
export function useFieldErrors(fields: readonly DraftField[]): FieldErrors {
  const [{ errors, toFocus }, setErrors] = useState({ errors: none, toFocus: false });
  useLayoutEffect(() => {
    const first = toFocus ? fields.find(({ name }) => errors.has(name)) : undefined;
    if (first !== undefined) focusField(first.name);
  }, [errors]);
  return {
    of: errors,
    async guard(work) {
      try {
        await work();
        setErrors({ errors: none, toFocus: false });
      } catch (error) {
        const found = errorsIn(error);
        if (!fields.some(({ name }) => found.has(name))) throw error;
        setErrors({ errors: found, toFocus: true });
      }
    },
    clear(name) {
      if (!errors.has(name)) return;
      setErrors({ errors: new Map([...errors].filter(([own]) => own !== name)), toFocus: false });
    },
  };
}

/** The errors of fields, from the form or from the server. */
function errorsIn(error: unknown): ReadonlyMap<string, string> {
  if (DraftError.is(error)) return error.fields;
  if (ApiError.is(error) && error.property !== undefined) return new Map([[error.property, error.message]]);
  return none;
}

/** The id of a field's input. Names may have characters that separate ids. */
export const fieldId = (name: string): string => `field-${encodeURIComponent(name)}`;

/** Focuses the input of a field, or the button that sets its value. */
function focusField(name: string): void {
  const input = document.getElementById(fieldId(name));
  const button = document.getElementById(`${fieldId(name)}-set`);
  (input ?? button)?.focus();
}
