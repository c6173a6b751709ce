import { expect, test } from "vitest";
import { ageOf, ownPrefix } from "../src/own-names.ts";

const now = Date.UTC(2026, 10, 25);

test.each([0, 0.5, 0.999_999])(
  "names of a run are those of tables and queues, and tell its age: %s",
  (random) => {
    const prefix = ownPrefix(now, () => random);

    for (const name of [`${prefix}0`, `${prefix}123`, `${prefix}probe3`]) {
      expect(name).toMatch(/^[a-z][a-z0-9]{2,39}$/);
      expect(ageOf(name, now + 1000)).toBe(1000);
      expect(ageOf(name.toUpperCase(), now + 1000)).toBe(1000);
    }
  },
);

test.each([
  "Orders",
  "partitacloud",
  "partitacloudprobe1",
  "partitaclouds2026x0000n1",
  "mypartitacloud0mhxxxxxxx0000n1",
  "PartitaQueues",
])("%s is of no run", (name) => expect(ageOf(name, now)).toBeUndefined());
