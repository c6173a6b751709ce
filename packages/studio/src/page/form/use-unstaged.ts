import { useLayoutEffect } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";

/** Notes for the page whether a form holds something that is not staged, until the form is closed. */
export function useUnstaged(isUnstaged: boolean): void {
  const studio = useStudio();
  useLayoutEffect(() => {
    studio.noteUnstaged(isUnstaged);
    return () => studio.noteUnstaged(false);
  }, [studio, isUnstaged]);
}
