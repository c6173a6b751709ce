import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { printable } from "../text/printable.ts";
import type { Completion } from "./completions.ts";

interface ListProps {
  readonly options: readonly Completion[];
  readonly active: number | undefined;
  readonly onTake: (option: Completion) => void;
}

/** The id of an option, for the input that has the focus. */
export const optionId = (index: number): string => `query-option-${index}`;

/** The completions of a query, below its input. */
export function CompletionList({ options, active, onTake }: ListProps): JSX.Element {
  useEffect(() => {
    if (active !== undefined) document.getElementById(optionId(active))?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <ul
      id="query-options"
      class="completions"
      role="listbox"
      aria-label="Completions"
      hidden={options.length === 0}
    >
      {options.map((option, i) => (
        <li
          key={option.text}
          id={optionId(i)}
          role="option"
          aria-selected={i === active}
          // Before the input loses the focus, which closes the list.
          onPointerDown={(event) => {
            event.preventDefault();
            onTake(option);
          }}
        >
          <code>{printable(option.text)}</code> <span>{option.detail}</span>
        </li>
      ))}
    </ul>
  );
}
