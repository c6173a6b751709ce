/** Does one piece of work after another, in the order in which they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins when everything that came before has ended, well or not. */
  take<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
