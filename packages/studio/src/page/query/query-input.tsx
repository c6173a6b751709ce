import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";
import { type Completion, completionsOf, type QueryField } from "./completions.ts";
import { CompletionList, optionId } from "./completion-list.tsx";

interface QueryInputProps {
  readonly fields: readonly QueryField[];
  readonly placeholder: string;
}

/** The open list of completions. */
interface OpenList {
  readonly caret: number;
  /** The option that Enter takes. Undefined until the user moves into the list: Enter then runs the query. */
  readonly active: number | undefined;
}

/** The text of a query, with completions. Source of the keys: ARIA Authoring Practices, "Combobox Pattern". */
export function QueryInput({ fields, placeholder }: QueryInputProps): JSX.Element {
  const studio = useStudio();
  const input = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState<OpenList | undefined>(undefined);
  const [caret, setCaret] = useState<number | undefined>(undefined);
  const text = studio.text.value;
  const { start, options } =
    open === undefined ? { start: 0, options: [] } : completionsOf(text.slice(0, open.caret), fields);
  const isOpen = options.length > 0;
  useLayoutEffect(() => {
    if (caret === undefined) return;
    input.current?.setSelectionRange(caret, caret);
    setCaret(undefined);
  }, [caret]);

  const take = ({ text: taken, caretBack = 0 }: Completion): void => {
    const end = open?.caret ?? text.length;
    const isMark = taken === "," || taken === ")";
    const before = isMark ? text.slice(0, start).trimEnd() : text.slice(0, start);
    const added = caretBack === 0 ? `${taken} ` : taken;
    studio.setText(before + added + text.slice(end).trimStart());
    const next = before.length + added.length - caretBack;
    setCaret(next);
    setOpen({ caret: next, active: undefined });
    input.current?.focus();
  };
  const move = (step: number): void => {
    if (open === undefined || !isOpen)
      return setOpen({ caret: input.current?.selectionStart ?? 0, active: 0 });
    const from = open.active ?? (step > 0 ? -1 : 0);
    setOpen({ ...open, active: (from + step + options.length) % options.length });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const active = open?.active === undefined ? undefined : options[open.active];
    const isTaking = (event.key === "Enter" || event.key === "Tab") && active !== undefined;
    if (event.key === " " && event.ctrlKey)
      setOpen({ caret: input.current?.selectionStart ?? text.length, active: 0 });
    else if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (isTaking) take(active);
    else if (event.key === "Escape" && isOpen) setOpen(undefined);
    else {
      if (event.key === "Escape") document.getElementById("grid")?.focus();
      if (event.key === "Enter") setOpen(undefined);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="query-input">
      <input
        ref={input}
        id="query"
        type="text"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls="query-options"
        aria-autocomplete="list"
        aria-activedescendant={isOpen && open?.active !== undefined ? optionId(open.active) : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget: { value, selectionStart } }) => {
          studio.setText(value);
          setOpen({ caret: selectionStart ?? value.length, active: undefined });
        }}
        onBlur={() => setOpen(undefined)}
        onKeyDown={onKeyDown}
      />
      <kbd title="Press / to write a query, and Ctrl+Space for completions">/</kbd>
      <CompletionList options={options} active={open?.active} onTake={take} />
    </div>
  );
}
