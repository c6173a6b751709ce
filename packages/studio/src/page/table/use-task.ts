import { useEffect, useRef, useState } from "preact/hooks";

/** A task of this page that the user can stop. It ends with the page, and a closing tab asks before. */
export interface Task {
  readonly state: "new" | "running" | "done" | "stopped" | "failed";
  readonly isRunning: boolean;
  readonly problem: string | undefined;
  readonly run: (work: (signal: AbortSignal) => Promise<void>) => void;
  readonly stop: () => void;
}

export function useTask(): Task {
  const [{ state, problem }, setState] = useState<Pick<Task, "state" | "problem">>({
    state: "new",
    problem: undefined,
  });
  const stop = useRef<AbortController | undefined>(undefined);
  const isRunning = state === "running";
  useEffect(() => {
    if (!isRunning) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isRunning]);
  useEffect(() => () => stop.current?.abort(), []);
  const start = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    const { signal } = (stop.current = new AbortController());
    setState({ state: "running", problem: undefined });
    try {
      await work(signal);
      setState({ state: "done", problem: undefined });
    } catch (error) {
      if (signal.aborted) setState({ state: "stopped", problem: undefined });
      else setState({ state: "failed", problem: (error as Error).message });
    }
  };
  return {
    state,
    isRunning,
    problem,
    run: (work) => void start(work),
    stop: () => stop.current?.abort(),
  };
}
