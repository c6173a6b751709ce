import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** The time and randomness of simulated work, instead of this machine's. */
export interface Scope {
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Milliseconds since 1970, by the clock of the current actor. */
  readonly now: () => number;
  /** Milliseconds that never decrease. */
  readonly elapsed: () => number;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** The save in progress; undefined outside of one. */
  readonly save?: number;
}

/** The scope of the running code. */
export const scopes: AsyncLocalStorage<Scope> = new AsyncLocalStorage();

let users = 0;
let restore: () => void = () => undefined;

/**
 * Replaces time, timers and randomness of simulated work with those of its scope, so waits, jitter and IDs are the same
 * for the same seed. Work outside of a scope is not affected.
 *
 * @returns a function that restores them
 */
export function ownTime(): () => void {
  if (users++ === 0) restore = replaceGlobals();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--users === 0) restore();
  };
}

function replaceGlobals(): () => void {
  const undo = [
    replace(Math, "random", (real) => () => scopes.getStore()?.random() ?? real()),
    replace(Date, "now", (real) => () => scopes.getStore()?.now() ?? real()),
    replace(globalThis, "Date", dateOfScope),
    replace(performance, "now", (real) => () => scopes.getStore()?.elapsed() ?? real.call(performance)),
    replace(crypto, "getRandomValues", randomValuesOfScope),
    replace(crypto, "randomUUID", (real) => () => {
      const scope = scopes.getStore();
      return scope === undefined ? real.call(crypto) : uuidOf(scope);
    }),
    replace(globalThis, "setTimeout", timeoutOfScope),
    replace(globalThis, "clearTimeout", (real) => (timer) => {
      if (ScopeTimer.is(timer)) timer.close();
      else real(timer);
    }),
    replace(timers, "setTimeout", delayOfScope),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const each of undo.toReversed()) each();
    syncBuiltinESMExports();
  };
}

/** Replaces a member, and returns a function that restores it. */
function replace<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  by: (real: Owner[Name]) => Owner[Name],
): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  const value = by(owner[name]);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: true });
  return () => {
    if (before === undefined) delete owner[name];
    else Object.defineProperty(owner, name, before);
  };
}

/** `new Date()` returns the time of the scope; everything else works as usual. */
const dateOfScope = (real: DateConstructor): DateConstructor =>
  new Proxy(real, {
    construct(target, args: unknown[], newTarget) {
      const scope = args.length === 0 ? scopes.getStore() : undefined;
      const own = newTarget === globalThis.Date ? target : newTarget;
      return Reflect.construct(target, scope === undefined ? args : [scope.now()], own) as Date;
    },
  });

/** A timer in simulated work. */
class ScopeTimer {
  readonly #ending = new AbortController();

  constructor(scope: Scope, ms: number, callback: () => void) {
    void this.#run(scope, ms, callback);
  }

  static is(value: unknown): value is ScopeTimer {
    return typeof value === "object" && value !== null && #ending in value;
  }

  async #run(scope: Scope, ms: number, callback: () => void): Promise<void> {
    await scope.wait(Math.max(1, ms), this.#ending.signal);
    if (!this.#ending.signal.aborted) callback();
  }

  close(): this {
    this.#ending.abort();
    return this;
  }

  /** Does nothing: a simulation waits for its actors, never for timers. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }
}

function timeoutOfScope(real: typeof setTimeout): typeof setTimeout {
  const replaced = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown => {
    const scope = scopes.getStore();
    return scope === undefined
      ? real(callback, ms, ...args)
      : new ScopeTimer(scope, ms, () => callback(...args));
  };
  return Object.assign(replaced, real) as unknown as typeof setTimeout;
}

type Delay = typeof timers.setTimeout;

const delayOfScope =
  (real: Delay): Delay =>
  async (ms = 0, value, options) => {
    const scope = scopes.getStore();
    if (scope === undefined) return real(ms, value, options);
    await scope.wait(Math.max(1, ms), options?.signal);
    options?.signal?.throwIfAborted();
    return value as NonNullable<typeof value>;
  };

type RandomValues = typeof crypto.getRandomValues;

const randomValuesOfScope =
  (real: RandomValues): RandomValues =>
  (array) => {
    const scope = scopes.getStore();
    if (scope === undefined) real.call(crypto, array);
    else fill(array, scope);
    return array;
  };

function fill(array: NodeJS.ArrayBufferView, { random }: Scope): Buffer {
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(random() * 256);
  return bytes;
}

/** A version 4 UUID, as from `crypto.randomUUID()`. */
function uuidOf(scope: Scope): ReturnType<typeof crypto.randomUUID> {
  const hex = fill(new Uint8Array(16), scope).toString("hex");
  const variant = "89ab"[Math.floor(scope.random() * 4)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
