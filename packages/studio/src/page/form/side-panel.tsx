import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";

interface PanelProps {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly children: ComponentChildren;
  readonly actions: ComponentChildren;
}

/** The panel next to the rows. It takes the focus when it opens, and Ctrl+Enter runs its main action, and Escape closes it. */
export function SidePanel({ title, detail, children, actions }: PanelProps): JSX.Element {
  const studio = useStudio();
  const panel = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the user can type: later, it would take the focus from a field.
  useLayoutEffect(() => (studio.takeFocused() ?? heading.current)?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    panel.current?.querySelector<HTMLButtonElement>("footer .primary:not(:disabled)")?.click();
  };
  return (
    <aside ref={panel} class="panel" aria-label={title} onKeyDown={onKeyDown}>
      <header>
        <div>
          <h2 ref={heading} tabIndex={-1}>
            {title}
          </h2>
          {detail !== undefined && <p class="detail">{detail}</p>}
        </div>
        <button type="button" class="quiet" aria-label="Close" onClick={() => studio.show(undefined)}>
          ×
        </button>
      </header>
      <div class="panel-body">{children}</div>
      <footer>{actions}</footer>
    </aside>
  );
}
