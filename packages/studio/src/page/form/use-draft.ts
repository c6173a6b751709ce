import { useState } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";
import type { DraftField } from "./draft.ts";

/** The fields of a form while the user edits them. */
export interface FormDraft {
  readonly fields: readonly DraftField[];
  /** Whether the user has changed a field, also before a reload. */
  readonly isTouched: boolean;
  readonly change: (fields: readonly DraftField[]) => void;
}

/** The fields of the open form, which survive a reload of the page. */
export function useDraft(first: () => readonly DraftField[]): FormDraft {
  const studio = useStudio();
  const [{ fields, isTouched }, setDraft] = useState(() => {
    const restored = studio.takeRestored();
    return { fields: restored ?? first(), isTouched: restored !== undefined };
  });
  return {
    fields,
    isTouched,
    change(changed) {
      setDraft({ fields: changed, isTouched: true });
      studio.keepFields(changed);
    },
  };
}
