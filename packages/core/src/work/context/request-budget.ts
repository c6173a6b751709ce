import { inherits } from "../../values/errors/brand.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import { callerOf, placeOf } from "../../values/errors/caller.ts";

/** The call of user code in progress, whose requests are counted. */
interface Call {
  readonly budget: RequestBudget;
  readonly place: string;
}

const calls = new AsyncLocalStorage<Call>();

/** Counts a context's requests, and warns once with their call sites if they exceed the budget. */
export class RequestBudget {
  readonly #limit: number;
  readonly #sites = new Map<string, number>();
  #count = 0;

  /** @param limit - maximum number of requests of one context, including retries */
  constructor(limit: number) {
    this.#limit = limit;
  }

  count(): void {
    this.#count++;
    const call = calls.getStore();
    const site = call?.budget === this ? call.place : "an unknown location";
    this.#sites.set(site, (this.#sites.get(site) ?? 0) + 1);
    if (this.#count !== this.#limit + 1) return;
    const busiest = [...this.#sites].toSorted(([, a], [, b]) => b - a).slice(0, 3);
    const list = busiest.map(([place, count]) => `${count} from ${place}`).join("; ");
    process.emitWarning(
      `A context sent more than its budget of ${this.#limit} request(s): ${list}. Read related entities with one query, or findMany().`,
      { code: "PARTITA_REQUEST_BUDGET" },
    );
  }

  /**
   * Records the callers of an object's methods, and of the objects of these classes that they return. Calls inside such
   * a call count for the outermost one.
   *
   * The call site is found by the method's function, since names of files and functions mean nothing in a bundle.
   */
  watch(target: object, classes: readonly Function[]): void {
    const owner = classes.find((each) => inherits(target, each as { prototype: object }));
    if (owner === undefined) return;
    const prototype = owner.prototype as object;
    for (const name of Reflect.ownKeys(prototype)) {
      const isMethod = typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === "function";
      // A subclass may have its own method with this name.
      if (isMethod && name !== "constructor") this.#watchMethod(target, name, classes);
    }
  }

  #watchMethod(target: object, name: string | symbol, classes: readonly Function[]): void {
    const method = (target as Record<string | symbol, (...args: unknown[]) => unknown>)[name];
    const entry = (...args: unknown[]): unknown => {
      const run = this.#runnerOf(entry);
      const result = run(() => method?.apply(target, args));
      if (typeof result !== "object" || result === null) return result;
      this.watch(result, classes);
      return Symbol.asyncIterator in result && "next" in result ? watchSteps(result, run) : result;
    };
    Object.defineProperty(target, name, { value: entry, configurable: true, writable: true });
  }

  #runnerOf(entry: (...args: never[]) => unknown): Run {
    const outer = calls.getStore();
    const call =
      outer?.budget === this ? outer : { budget: this, place: placeOf(callerOf({ entry }, "entry")) };
    return (work) => calls.run(call, work);
  }
}

type Run = <Result>(work: () => Result) => Result;

/** Each step of a generator runs in the context of its loop, since requests are sent while stepping. */
function watchSteps(generator: object, run: Run): object {
  for (const name of ["next", "return", "throw"] as const) {
    const step = (generator as AsyncGenerator)[name] as (value: unknown) => unknown;
    const value = (argument: unknown): unknown => run(() => step.call(generator, argument));
    Object.defineProperty(generator, name, { value, configurable: true });
  }
  return generator;
}
