import { expect, test } from "vitest";
import type { Actor } from "../../src/simulation/run/scheduler.ts";
import { Scheduler } from "../../src/simulation/run/scheduler.ts";

function actorOf(scheduler: Scheduler, name: string): Actor {
  const actor: Actor = {
    name,
    scope: {
      random: () => 0,
      now: () => scheduler.now,
      elapsed: () => scheduler.now,
      wait: (ms, signal) => scheduler.wait(actor, ms, signal),
    },
    waiting: 0,
    state: "working",
  };
  return actor;
}

const nothing = async (): Promise<void> => undefined;

test("an actor that waits for what nobody schedules ends the run by its name", async () => {
  const scheduler = new Scheduler(0);
  const actor = actorOf(scheduler, "clerk 1");
  const forever = new Promise<void>(() => undefined);

  await expect(scheduler.run([{ actor, work: () => forever }], nothing)).rejects.toMatchObject({
    code: "simulation.stuck",
    message: expect.stringContaining(
      "clerk 1 has waited 0 ms for an event that the simulation does not schedule",
    ),
  });
});

test("waits end in the order of their times, and at once where they are aborted", async () => {
  const scheduler = new Scheduler();
  const ended: string[] = [];
  const stop = new AbortController();
  const waiting = (name: string, ms: number, signal?: AbortSignal) => {
    const actor = actorOf(scheduler, name);
    const work = async (): Promise<void> => {
      await scheduler.wait(actor, ms, signal);
      ended.push(`${name} at ${scheduler.now}`);
      if (ms === 10) stop.abort();
    };
    return { actor, work };
  };
  await scheduler.run(
    [waiting("late", 300), waiting("early", 10), waiting("aborted", 200, stop.signal), waiting("none", 0)],
    nothing,
  );

  expect(ended).toEqual(["none at 0", "early at 10", "aborted at 10", "late at 300"]);
});

test("time does not pass the deadline of what is on its way", async () => {
  const scheduler = new Scheduler();
  const arrived: number[] = [];
  const actor = actorOf(scheduler, "clerk 1");
  scheduler.follow(
    { choose: (enabled) => enabled.findLast(({ kind }) => kind === "time") ?? enabled[0]! },
    [],
  );
  const work = async (): Promise<void> => {
    scheduler.add({
      id: "late clerk 1/1/1",
      actor: "clerk 1",
      kind: "late",
      deadline: 50,
      owner: undefined,
      run: async () => void arrived.push(scheduler.now),
    });
    await scheduler.wait(actor, 40);
    await scheduler.wait(actor, 40);
  };
  await scheduler.run([{ actor, work }], nothing);

  expect(arrived).toEqual([41]);
  expect(scheduler.now).toBe(80);
});
