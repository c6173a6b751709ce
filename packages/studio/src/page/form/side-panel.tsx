import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";

interface PanelProps {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly children: ComponentChildren;
  readonly actions: ComponentChildren;
}

/** The panel next to the rows. It takes the focus when it opens, and Escape closes it. */
export function SidePanel({ title, detail, children, actions }: PanelProps): JSX.Element {
  const studio = useStudio();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <aside class="panel" aria-label={title}>
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
