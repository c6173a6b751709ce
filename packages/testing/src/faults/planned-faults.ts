import { type Fault, parseFault } from "./fault.ts";
import { InjectedFault } from "./injected-fault.ts";

/** The common part of all requests with planned faults. */
interface Numbered {
  readonly number: number;
  readonly fault?: Fault;
}

/** The log of requests with planned faults. */
export interface LogOfFaults<Request> {
  /** Every request so far, including failed ones. */
  readonly requests: readonly Request[];
  /** The number of `late` requests that are not applied yet. */
  readonly onTheirWay: number;
  /** Applies all `late` requests. */
  settle(): Promise<void>;
  /** Called for each request with a planned fault, after the request was applied, if the fault allows that. */
  onFault?: (request: Request) => void;
}

/** Applies a plan to requests. */
export interface PlannedFaults<Request> {
  readonly log: LogOfFaults<Request>;
  /** Runs a request, or its planned fault. @throws InjectedFault */
  readonly run: <Result>(
    request: Omit<Request, "number" | "fault">,
    isWrite: boolean,
    work: () => Promise<Result>,
  ) => Promise<Result>;
}

/** Makes requests fail according to a plan. */
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
    // Runs after the present ones. Nothing waits for these responses, so a refusal is lost as well.
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
      // The response is lost, so it does not matter whether the request was applied or refused.
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
