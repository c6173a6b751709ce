import { type Fault, parseFault } from "./fault.ts";
import { InjectedFault } from "./injected-fault.ts";

/** What every request has that may fail as planned. */
interface Numbered {
  readonly number: number;
  readonly fault?: Fault;
}

/** What is known of requests that fail as planned. */
export interface LogOfFaults<Request> {
  /** Every request so far, failed ones included. */
  readonly requests: readonly Request[];
  /** How many requests came `late` and are not carried out yet. */
  readonly onTheirWay: number;
  /** Carries out what came `late` until now. */
  settle(): Promise<void>;
  /** Called with each request that failed as planned, after what its fault lets be carried out has been. */
  onFault?: (request: Request) => void;
}

/** Requests that fail as a plan says. */
export interface PlannedFaults<Request> {
  readonly log: LogOfFaults<Request>;
  /** Does the work of a request, unless the plan says otherwise. @throws InjectedFault */
  readonly run: <Result>(
    request: Omit<Request, "number" | "fault">,
    isWrite: boolean,
    work: () => Promise<Result>,
  ) => Promise<Result>;
}

/** Lets requests fail as a plan says. */
export function plannedFaults<Request extends Numbered>(
  plan: (request: Request) => Fault | undefined | Promise<Fault | undefined>,
): PlannedFaults<Request> {
  const requests: Request[] = [];
  let late: (() => Promise<unknown>)[] = [];
  let onTheirWay = 0;

  let settling: Promise<void> = Promise.resolve();
  const settle = (): Promise<void> => {
    const due = late;
    late = [];
    // After those that are being done already. Nobody waits for these answers: a refusal of one is lost with it.
    settling = settling.then(async () => {
      for (const work of due) {
        await work().catch(() => undefined);
        onTheirWay--;
      }
    });
    return settling;
  };
  const log: LogOfFaults<Request> = {
    requests,
    get onTheirWay() {
      return onTheirWay;
    },
    settle,
  };
  const run = async <Result>(
    request: Omit<Request, "number" | "fault">,
    isWrite: boolean,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const described = { number: requests.length + 1, ...request } as Request & { fault?: Fault };
    requests.push(described);
    const fault = await plan(described);
    const placed = fault === undefined ? undefined : parseFault(fault);
    if (fault !== undefined) described.fault = fault;
    const due = late.length > 0;
    try {
      if (placed === undefined) return await work();
      // Whether it was done or refused is lost with the answer.
      if (placed.place === "after") await work().catch(() => undefined);
      if (placed.place === "late" && isWrite) {
        late.push(work);
        onTheirWay++;
      }
    } finally {
      if (due) await settle();
    }
    log.onFault?.(described);
    throw new InjectedFault(placed, isWrite);
  };
  return { log, run };
}
