import type { ComponentChildren, JSX } from "preact";

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly children: ComponentChildren;
}

/** One task with a table. */
export const Section = ({ id, title, note, children }: SectionProps): JSX.Element => (
  <section class="section" aria-labelledby={id}>
    <header>
      <h2 id={id}>{title}</h2>
      <p>{note}</p>
    </header>
    <div class="section-body">{children}</div>
  </section>
);
