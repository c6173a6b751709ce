import type { JSX } from "preact";
import type { StagedChange } from "../../api/staged.ts";
import { UpgradeNote } from "../form/extras-note.tsx";
import { SidePanel } from "../form/side-panel.tsx";
import { useStudio } from "../state/studio-context.ts";
import { cellLine } from "../text/cell-text.ts";
import { printable } from "../text/printable.ts";
import { ConflictView } from "./conflict-view.tsx";

/** All unsaved changes, and the reasons why the last save refused them. */
export function StagedPanel(): JSX.Element {
  const studio = useStudio();
  const staged = studio.staged.value;
  const discardAll = (): Promise<boolean> =>
    studio.attemptOnce(async () => {
      studio.staged.value = await studio.api.discard(staged.map(({ id }) => id));
    });
  return (
    <SidePanel
      title="Staged changes"
      detail={`${staged.length} not saved yet`}
      actions={
        <>
          <button
            type="button"
            class="primary"
            disabled={staged.every(({ conflict }) => conflict !== undefined)}
            onClick={() => void studio.save()}
          >
            Save all
          </button>
          <span class="space" />
          <button
            type="button"
            class="danger"
            disabled={staged.length === 0}
            onClick={() => void discardAll()}
          >
            Discard all
          </button>
        </>
      }
    >
      {staged.length === 0 && (
        <p class="empty">Nothing is staged. Press Enter on a row to open and edit it.</p>
      )}
      {staged.map((change) => (
        <ChangeView key={change.id} change={change} />
      ))}
    </SidePanel>
  );
}

const stateNames = { added: "new", modified: "changed", deleted: "deleted" } as const;

function ChangeView({ change }: { readonly change: StagedChange }): JSX.Element {
  const studio = useStudio();
  const { id, subject, state, properties, version, error, conflict, isInDoubt } = change;
  const discard = (): Promise<boolean> =>
    studio.attemptOnce(async () => {
      studio.staged.value = await studio.api.discard([id]);
    });
  return (
    <article class="change" data-state={state} data-conflict={conflict !== undefined}>
      <header>
        <span class="tag">{stateNames[state]}</span>
        <strong>{printable(subject)}</strong>
        {isInDoubt && <span class="tag in-doubt">outcome unknown</span>}
        <span class="space" />
        <button type="button" class="quiet" onClick={() => void discard()}>
          discard
        </button>
      </header>
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {version !== undefined && <UpgradeNote version={version} />}
      {conflict === undefined ? (
        state !== "deleted" && (
          <dl class="diff">
            {properties.map(({ name, before, after }) => (
              <div key={name}>
                <dt>{printable(name)}</dt>
                {before !== undefined && <dd class="before">{printable(cellLine(before))}</dd>}
                <dd class="after">{after === undefined ? "cleared" : printable(cellLine(after))}</dd>
              </div>
            ))}
          </dl>
        )
      ) : (
        <ConflictView id={id} state={state} conflict={conflict} />
      )}
    </article>
  );
}
