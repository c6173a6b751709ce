import { describe, expect, test } from "vitest";
import { meansOf, percentile, type PlannedStep, summarizeStep } from "../../src/stress/run/summarize-step.ts";
import { workDue, type WorkRecord } from "../../src/stress/run/work-record.ts";

const planned: PlannedStep = { rate: 10, seconds: 10, graceMs: 500, means: [10] };

/** A call that did its work in so many milliseconds. */
const done = (dueMs: number, tookMs = 5, entities = 10): WorkRecord => ({
  ...workDue(0, dueMs),
  begunMs: dueMs,
  endedMs: dueMs + tookMs,
  isDone: true,
  entities,
});

const tenDone = Array.from({ length: 10 }, (_, i) => done(i * 1000));

describe("the figures of a step", () => {
  test("count entities, of what was due", () => {
    expect(summarizeStep(tenDone, planned)).toMatchObject({
      rate: 10,
      seconds: 10,
      offered: 10,
      served: 10,
      due: 10,
      notSent: 0,
      isSustained: true,
    });
  });

  test("count a call that was not begun as offered, with what others did on average", () => {
    const records = [...tenDone, workDue(0, 9500), workDue(0, 9600)];

    expect(summarizeStep(records, planned)).toMatchObject({
      offered: 12,
      served: 10,
      notSent: 2,
      isSustained: false,
    });
  });

  test("measure latency from when work was due, however late it was begun", () => {
    const late: WorkRecord = { ...done(1000, 400), begunMs: 1300 };
    const { p50Ms, p99Ms, lateMs } = summarizeStep([...tenDone, late], planned);

    expect([p50Ms, p99Ms, lateMs]).toEqual([5, 400, 300]);
  });

  test("count an answer that comes after the step and its grace as not served", () => {
    const inGrace = done(9900, 600);
    const tooLate = done(9900, 601);

    expect(summarizeStep([inGrace], planned).served).toBe(1);
    expect(summarizeStep([tooLate], planned)).toMatchObject({ offered: 1, served: 0 });
    expect(summarizeStep([{ ...inGrace, endedMs: undefined as never, isDone: false }], planned).served).toBe(
      0,
    );
  });

  test("count what a call returned before it failed, and what it still owed", () => {
    const half: WorkRecord = { ...done(0, 5, 4), isDone: false, busy: 1 };
    const { offered, served, busy } = summarizeStep([...tenDone, half], planned);

    expect([offered, served, busy]).toEqual([11, 10.4, 1]);
  });

  test("sort errors, name the codes of the others, and keep other partitions apart", () => {
    const errors: WorkRecord[] = [
      { ...workDue(0, 0), begunMs: 0, endedMs: 1, busy: 2, failed: 1 },
      { ...workDue(0, 0), begunMs: 0, endedMs: 1, otherErrors: 1, otherCode: "storage.timeout" },
      {
        ...workDue(0, 0),
        begunMs: 0,
        endedMs: 1,
        otherErrors: 1,
        otherCode: "storage.timeout",
        elsewhere: 3,
      },
    ];

    const step = summarizeStep(errors, planned);

    expect(step).toMatchObject({ busy: 2, failed: 1, otherErrors: 2, elsewhere: 3 });
    expect(step.otherCodes).toEqual(["storage.timeout"]);
    expect(step).not.toHaveProperty("p50Ms");
  });

  test("are sustained from 95 % of what was offered on, when the rate was offered at all", () => {
    const of = (ok: number, all: number) => [
      ...Array.from({ length: ok }, () => done(0, 1, 1)),
      ...Array.from({ length: all - ok }, () => workDue(0, 0)),
    ];
    const at = (rate: number) => ({ ...planned, rate, means: [1] });

    expect(summarizeStep(of(95, 100), at(10)).isSustained).toBe(true);
    expect(summarizeStep(of(94, 100), at(10)).isSustained).toBe(false);
    expect(summarizeStep(of(100, 100), at(12)).isSustained).toBe(false);
  });
});

test("averages are of calls that did their work, and what was known before where there are none", () => {
  const second: WorkRecord = { ...done(0, 5, 4), load: 1 };

  expect(meansOf([done(0, 5, 8), done(0, 5, 10), second], [1, 1, 7])).toEqual([9, 4, 7]);
  expect(meansOf([{ ...done(0), isDone: false }], [3])).toEqual([3]);
});

test("percentiles are values that were measured, by nearest rank", () => {
  const values = Array.from({ length: 200 }, (_, i) => i + 1);

  expect([percentile(values, 0.5), percentile(values, 0.99)]).toEqual([100, 198]);
  expect([percentile([7], 0.99), percentile([], 0.5)]).toEqual([7, undefined]);
});
