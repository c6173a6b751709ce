import { useLayoutEffect } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";

/** Reports to the page whether a form has unstaged changes, until the form is closed. */
export function useUnstaged(isUnstaged: boolean): void {
  const studio = useStudio();
  useLayoutEffect(() => {
    studio.noteUnstaged(isUnstaged);
    return () => studio.noteUnstaged(false);
  }, [studio, isUnstaged]);
}
