import type { ComponentChildren, JSX } from "preact";

/** The content of a cell, with or without a class. */
type Fact = ComponentChildren | { readonly class: string; readonly content: ComponentChildren };

interface FactsProps {
  readonly caption: string;
  /** Names of columns. `#` before a name marks a column of numbers. */
  readonly columns?: readonly string[];
  readonly rows: readonly (readonly Fact[])[];
}

/** A table with a row for each item. */
export function FactsTable({ caption, columns = [], rows }: FactsProps): JSX.Element {
  return (
    <table class="facts">
      <caption>{caption}</caption>
      {columns.length > 0 && (
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" class={name.startsWith("#") ? "number" : undefined}>
                {name.replace("#", "")}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((facts, i) => (
          <tr key={i}>
            {facts.map((fact, at) => {
              const cell = isClassed(fact) ? fact : { class: undefined, content: fact };
              const isNumber = columns[at]?.startsWith("#") === true;
              return (
                <td key={at} class={isNumber ? "number" : cell.class}>
                  {cell.content}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const isClassed = (fact: Fact): fact is Extract<Fact, { readonly content: ComponentChildren }> =>
  typeof fact === "object" && fact !== null && "content" in fact;
