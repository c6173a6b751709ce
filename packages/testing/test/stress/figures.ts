import type { StressFigures, StressStep } from "../../src/index.ts";

/** A step that was offered its rate. */
export const step = (rate: number, served: number): StressStep => ({
  rate,
  seconds: 5,
  offered: rate,
  served,
  p50Ms: 3,
  p99Ms: 1234,
  due: 100,
  notSent: 0,
  busy: 7,
  failed: 0,
  otherErrors: 0,
  otherCodes: [],
  elsewhere: 0,
  lateMs: 1,
  isSustained: served === rate,
});

/** What a test of a service came to. */
export const figures: StressFigures = {
  storage: "https://account.table.core.windows.net",
  entity: "Blog",
  table: "Blogs",
  partitionKey: "<&>",
  concurrency: 64,
  steps: [step(100, 100), step(1000, 480), step(450, 450)],
  sustained: 450,
  servedThere: 450,
  mostServed: 480,
  target: 400,
  isMet: true,
};
