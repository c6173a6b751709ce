import type { JSX } from "preact";
import type { OpenRow } from "../../api/staged.ts";
import type { Field } from "../../api/tables.ts";
import { useStudio } from "../state/studio-context.ts";
import { printable } from "../text/printable.ts";
import { ExtrasNote } from "./extras-note.tsx";
import { changesOf, draftOf, isChanged } from "./draft.ts";
import { Fields } from "./fields.tsx";
import { SidePanel } from "./side-panel.tsx";
import { useDraft } from "./use-draft.ts";
import { useFieldErrors } from "./use-field-errors.ts";
import { useUnstaged } from "./use-unstaged.ts";

/** A stored row as a form. Changes are staged, and saved later. */
export function RowForm({ row }: { readonly row: OpenRow }): JSX.Element {
  const studio = useStudio();
  const fields = useFields(row.className);
  const { fields: draft, change } = useDraft(() => draftOf(row.cells, fields));
  useUnstaged(draft.some(isChanged));
  const isReadOnly = studio.info.value?.isReadOnly === true;
  const errors = useFieldErrors(draft);
  const stage = (): Promise<boolean> =>
    studio.attemptOnce(() =>
      errors.guard(async () => {
        const { id, etag } = row;
        studio.staged.value = await studio.api.edit({ id, etag, changes: changesOf(draft) });
        studio.showStaged();
      }),
    );
  const remove = (): Promise<boolean> =>
    studio.attemptOnce(async () => {
      studio.staged.value = await studio.api.remove(row.id, row.etag);
      studio.showStaged();
    });
  const hasIndexes = row.className === undefined && (studio.tableInfo.value?.classes ?? []).length > 0;
  return (
    <SidePanel
      title={row.className ?? "Row as stored"}
      detail={`${printable(row.partitionKey)} / ${printable(row.rowKey)}`}
      actions={
        isReadOnly ? undefined : (
          <>
            <button
              type="button"
              class="primary"
              disabled={!draft.some(isChanged)}
              onClick={() => void stage()}
            >
              Stage changes
            </button>
            <button type="button" onClick={() => studio.show({ type: "new", from: row })}>
              Clone
            </button>
            <span class="space" />
            <button type="button" class="danger" onClick={() => void remove()}>
              Delete
            </button>
          </>
        )
      }
    >
      {hasIndexes && !isReadOnly && (
        <p class="warning">
          This row is edited as stored, so its index rows are not updated. To update them, open the row as its
          class.
        </p>
      )}
      <ExtrasNote row={row} />
      <Fields
        draft={draft}
        errors={errors}
        isReadOnly={isReadOnly}
        isStored={row.className === undefined}
        onChange={change}
      />
      <dl class="system">
        <dt>ETag</dt>
        <dd>{printable(row.etag)}</dd>
        {row.timestamp !== undefined && (
          <>
            <dt>Timestamp</dt>
            <dd>{row.timestamp}</dd>
          </>
        )}
      </dl>
    </SidePanel>
  );
}

/** The fields of a class of the table. Empty for stored rows. */
export function useFields(className: string | undefined): readonly Field[] {
  const classes = useStudio().tableInfo.value?.classes ?? [];
  return classes.find(({ name }) => name === className)?.fields ?? [];
}
