import type { JSX } from "preact";
import type { Row } from "../../api/cells.ts";
import type { Field } from "../../api/tables.ts";
import { useStudio } from "../state/studio-context.ts";
import { changesOf, type DraftField, draftField } from "./draft.ts";
import { FieldInput } from "./field-input.tsx";
import { SidePanel } from "./side-panel.tsx";
import { useDraft } from "./use-draft.ts";
import { useFieldErrors } from "./use-field-errors.ts";
import { useUnstaged } from "./use-unstaged.ts";

/** Sets one property of all selected rows to the same value. */
export function MultiEdit(): JSX.Element {
  const studio = useStudio();
  const rows = [...studio.selected.value.values()];
  const fields = commonFields(rows, studio.tableInfo.value?.classes ?? []);
  const { fields: drafts, isTouched, change } = useDraft(() => []);
  const [draft] = drafts;
  useUnstaged(isTouched && draft !== undefined);
  const setDraft = (field: DraftField | undefined): void => change(field === undefined ? [] : [field]);
  const choose = (name: string): void => {
    const field = fields.find((each) => each.name === name);
    if (field === undefined) return setDraft(undefined);
    const { type, isRequired, values } = field;
    setDraft({
      ...draftField(name, type, undefined, { isKey: false, isRequired, values }),
      text: type === "Boolean" ? "false" : (values?.[0] ?? ""),
    });
  };
  const errors = useFieldErrors(drafts);
  const stage = (): Promise<boolean> =>
    studio.attemptOnce(() =>
      errors.guard(async () => {
        if (draft === undefined) return;
        const { name, type, text } = draft;
        const changes = text === undefined ? [{ name, type, value: null }] : changesOf([draft], true);
        await studio.stageSelected((seen) => studio.api.editMany({ ...seen, changes }));
      }),
    );
  return (
    <SidePanel
      title={`Edit ${rows.length} rows`}
      detail="Set one property of all these rows to the same value."
      actions={
        <button type="button" class="primary" disabled={draft === undefined} onClick={() => void stage()}>
          Stage {rows.length} changes
        </button>
      }
    >
      <div class="field">
        <label for="multi-name">Property</label>
        <select
          id="multi-name"
          value={draft?.name ?? ""}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          <option value="">Choose …</option>
          {fields.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      {draft !== undefined && (
        <FieldInput
          field={draft}
          isReadOnly={false}
          hasTypes={rows[0]?.className === undefined}
          error={errors.of.get(draft.name)}
          onChange={(field) => {
            errors.clear(field.name);
            setDraft(field);
          }}
        />
      )}
    </SidePanel>
  );
}

/** The properties that all rows can have: those of their classes, or those that all stored rows have. */
function commonFields(
  rows: readonly Row[],
  classes: readonly { readonly name: string; readonly fields: readonly Field[] }[],
): readonly Pick<Field, "name" | "type" | "isRequired" | "values">[] {
  const [first, ...others] = [...new Set(rows.map(({ className }) => className))].map(
    (className) => classes.find(({ name }) => name === className)?.fields ?? storedFields(rows),
  );
  const isEverywhere = ({ name }: Pick<Field, "name">): boolean =>
    others.every((fields) => fields.some((each) => each.name === name));
  return (first ?? []).filter((field) => !("key" in field && field.key !== undefined) && isEverywhere(field));
}

const storedFields = (rows: readonly Row[]): readonly Field[] => {
  const types = new Map(rows.flatMap(({ cells }) => cells.map(([name, type]) => [name, type] as const)));
  return [...types].map(([name, type]) => ({ name, type, isRequired: false }));
};
