import { type ContextOptions, SaveError, TableContext } from "@partita/core";
import { type Fault, virtualClock, withFaults, writeFaults } from "@partita/testing";
import { holds, type Item, type Place } from "../item.ts";
import { Blog, post } from "./model.ts";

/** A context that fails its first writes as listed. */
export const faulty = ({ storage }: Place, faults: Fault[], options: ContextOptions = {}): TableContext =>
  new TableContext(withFaults(storage, writeFaults(...faults)), { clock: virtualClock(), ...options });

/** The outcome of a write of one blog, after a fault. */
export const after = (
  title: string,
  fault: Fault,
  expected: string,
  change: (context: TableContext, blog: Blog) => void,
): Item =>
  holds(title, expected, async (place) => {
    await post(place.storage, place.name, 1);
    const context = faulty(place, [fault]);
    change(context, await context.query(Blog).where({ channel: place.name }).single());
    const results = await context.saveChanges().catch((error: unknown) => {
      if (error instanceof SaveError) return error.results;
      throw error;
    });
    return results.map(({ outcome, attempts }) => `${outcome} after ${attempts}`).join();
  });
