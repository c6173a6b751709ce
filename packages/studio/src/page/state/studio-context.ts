import { type Context, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { StudioState } from "./studio-state.ts";

/** The state of the page, for all of its components. */
export const StudioContext: Context<StudioState | undefined> = createContext<StudioState | undefined>(
  undefined,
);

/** @throws Error outside the page */
export function useStudio(): StudioState {
  const state = useContext(StudioContext);
  if (state === undefined) throw new Error("A component of the studio is used outside its page.");
  return state;
}
