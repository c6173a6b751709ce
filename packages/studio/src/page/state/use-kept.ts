import { useState } from "preact/hooks";

/** A state of a component that a reload of the page keeps. @param name - unique in the page */
export function useKept<Value>(name: string, first: Value): [Value, (value: Value) => void] {
  const storedAs = `partita-studio-kept:${name}`;
  const [value, setValue] = useState<Value>(() => {
    const stored = sessionStorage.getItem(storedAs);
    return stored === null ? first : (JSON.parse(stored) as Value);
  });
  return [
    value,
    (changed) => {
      setValue(changed);
      sessionStorage.setItem(storedAs, JSON.stringify(changed));
    },
  ];
}
