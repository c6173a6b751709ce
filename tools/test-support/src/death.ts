/** Where a process dies: at its n-th request, counted from 1, before or after the request is carried out. */
export interface Death {
  readonly request: number;
  readonly isCarriedOut: boolean;
}

/** Does requests until the last one. */
export type Counted = <Result>(request: () => Promise<Result>) => Promise<Result>;

/** Counts requests, and dies at one of them. */
export function countedUntil(death: Death | undefined, die: () => Promise<never>): Counted {
  let count = 0;
  return async (request) => {
    count++;
    if (death === undefined || count < death.request) return request();
    if (count === death.request && death.isCarriedOut) await request();
    return die();
  };
}

/** Kills this process, which then never goes on. */
export function killProcess(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise<never>(() => undefined);
}
