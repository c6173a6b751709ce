import type { Bug, Suite } from "../bug.ts";

/** Bugs with their own tests that a simulated workload must find too, each within 200 seeds. */
const workloadOf: Readonly<Record<string, string>> = {
  "drop If-Match from merges": "transfers",
  "a conflict after a lost response counts as a refusal": "transfers",
  "a lost response means success": "transfers",
  "a lost response means failure": "transfers",
  "one equal row proves a transaction": "transfers",
  "an existing marker counts as a refusal": "transfers",
  "a closed marker counts as a written one": "transfers",
  "a refused transaction leaves what it stored before the refusal": "transfers",
  "adopt the ETag on appendOnly": "list appends of long-lived contexts",
  "preserveChanges drops edits": "counters",
  "a second save's refusal disproves the first": "several saves",
  "an altered change is the same as before": "several saves",
  "an index row's old key is not deleted": "indexed rows",
  "a row of a unique index is an upsert": "indexed rows",
  "an upgrade overwrites any stored version": "upgrades beside old writers",
  "lose unknown outcomes": "random work",
  "lose the image that was sent": "random work",
  "a row read under edits ends their unknown outcomes": "random work",
  "unknown writes are timed with the wall clock": "random work",
  "equal values of its siblings prove a delete": "several saves",
};

const workloads = (name: string): Suite => ({
  project: "laws: testing",
  files: ["packages/testing/test/simulation/workloads.law.test.ts"],
  env: { PARTITA_SEEDS: "200", PARTITA_WORKLOAD: name },
});

/** The same bugs again, to be found by simulation. @throws Error for an unknown name */
export const simulatedBugs = (bugs: readonly Bug[]): readonly Bug[] =>
  Object.entries(workloadOf).map(([name, workload]) => {
    const bug = bugs.find((one) => one.name === name);
    if (bug === undefined) throw new Error(`There is no bug "${name}" for the simulation.`);
    return { ...bug, name: `${name} (simulated)`, caughtBy: workloads(workload) };
  });
