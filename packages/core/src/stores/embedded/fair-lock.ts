/** A fair lock, shared or exclusive: tasks run in the order of their requests, so none waits forever. */
export class FairLock {
  /** Tasks that run or wait. */
  users = 0;
  #sharing = 0;
  #isAlone = false;
  readonly #waiting: { readonly isAlone: boolean; readonly go: () => void }[] = [];

  /** Runs `work` together with other shared tasks. */
  shared<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#run(false, work);
  }

  /** Runs `work` while no other task runs. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#run(true, work);
  }

  async #run<Result>(isAlone: boolean, work: () => Promise<Result>): Promise<Result> {
    this.users++;
    if (this.#waiting.length > 0 || !this.#isFree(isAlone))
      await new Promise<void>((go) => this.#waiting.push({ isAlone, go }));
    else this.#take(isAlone);
    try {
      return await work();
    } finally {
      this.users--;
      if (isAlone) this.#isAlone = false;
      else this.#sharing--;
      this.#wake();
    }
  }

  #isFree(isAlone: boolean): boolean {
    return !this.#isAlone && (!isAlone || this.#sharing === 0);
  }

  #take(isAlone: boolean): void {
    if (isAlone) this.#isAlone = true;
    else this.#sharing++;
  }

  #wake(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || !this.#isFree(next.isAlone)) return;
      this.#waiting.shift();
      this.#take(next.isAlone);
      next.go();
    }
  }
}
