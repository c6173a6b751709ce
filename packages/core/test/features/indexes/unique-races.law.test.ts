import { isLong } from "@partita/test-support/effort";
import { expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";
import { race } from "./races.ts";

const races = isLong ? 10_000 : 1000;

test(`of two writers of one unique value, exactly one commits, in ${races} races`, async () => {
  await using storage = await openStorage("memory:", { durability: "normal" });

  await expect(race(storage, races)).resolves.toBeUndefined();
});
