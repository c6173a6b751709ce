// What replaces the global timers has its own time, and connections have that of the machine.
import { setTimeout } from "node:timers";
import { type Clock, monotonicTime, systemClock } from "../../../storage/clock.ts";

/** What ends when it takes longer than its limit. */
export interface Limited {
  expire(limitMs: number): void;
}

/**
 * Ends requests that take longer than one limit, which is the same for all of them: the first to come is the first that is
 * due, so that one timer serves them all. To start and stop a timer for each takes a good part of a small request.
 */
export class Deadlines {
  readonly #limitMs: number;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  /** What is under way, with when each is due; the earliest first. */
  readonly #due = new Map<Limited, number>();
  /** When the alarm goes off. */
  #alarmAt = 0;

  constructor(limitMs: number, clock: Clock) {
    this.#limitMs = limitMs;
    this.#clock = clock;
    const onAlarm = (): void => this.#expire();
    this.#alarm = clock === systemClock ? timerAlarm(onAlarm) : clockAlarm(clock, onAlarm);
  }

  /** Something begins. */
  add(one: Limited): void {
    const now = monotonicTime(this.#clock);
    this.#due.set(one, now + this.#limitMs);
    if (this.#due.size === 1) this.#set(now, now + this.#limitMs);
  }

  /** It has ended. */
  delete(one: Limited): void {
    if (this.#due.delete(one) && this.#due.size === 0) this.#alarm.rest();
  }

  #set(now: number, at: number): void {
    // Rounded up, as timers take whole milliseconds, and not beyond the limit, which may be the longest they take.
    const ms = Math.min(Math.ceil(at - now), this.#limitMs);
    if (this.#alarm.set(ms)) this.#alarmAt = at;
  }

  #expire(): void {
    // A timer may go off a little early.
    const now = Math.max(monotonicTime(this.#clock), this.#alarmAt);
    for (const [one, due] of this.#due) {
      if (due > now) return this.#set(now, due);
      this.#due.delete(one);
      one.expire(this.#limitMs);
    }
  }
}

/** Goes off once, after it was set. */
interface Alarm {
  /** Sets it, unless it is set already and goes off earlier; false then. */
  set(ms: number): boolean;
  /** Nothing is under way: it keeps no process alive. */
  rest(): void;
}

/** A timer of this machine. It goes on while nothing is under way, since the next request comes soon as a rule. */
function timerAlarm(onAlarm: () => void): Alarm {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    set(ms) {
      if (timer !== undefined) {
        timer.ref();
        return false;
      }
      timer = setTimeout(() => {
        timer = undefined;
        onAlarm();
      }, ms);
      return true;
    },
    rest: () => void timer?.unref(),
  };
}

/** A wait by another clock, which is over as soon as nothing is under way. */
function clockAlarm(clock: Clock, onAlarm: () => void): Alarm {
  let over: AbortController | undefined;
  return {
    set(ms) {
      const own = new AbortController();
      over = own;
      void clock.wait(ms, own.signal).then(() => {
        if (!own.signal.aborted) onAlarm();
      });
      return true;
    },
    rest: () => over?.abort(),
  };
}
