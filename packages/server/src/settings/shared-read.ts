/**
 * Shares a read among callers that arrive together, so many of them cost few requests. Each caller gets the result of a
 * read that started after its call, so it sees every change that was acknowledged before.
 */
export function sharedRead<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;
  const start = (): Promise<Result> => {
    next = undefined;
    const started = read();
    running = started;
    const ended = (): void => {
      if (running === started) running = undefined;
    };
    started.then(ended, ended);
    return started;
  };
  return () => (running === undefined ? start() : (next ??= running.then(start, start)));
}
