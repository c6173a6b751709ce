import { TableError } from "@partita/core";
import { describe, expect, test } from "vitest";
import { collectCodes } from "../../src/errors/collect-codes.ts";
import { areas } from "../../src/errors/pages/areas.ts";
import { serviceCodes } from "../../src/errors/pages/service-codes.ts";
import { errorPages } from "../../src/errors/error-pages.ts";
import { outcomeOf } from "./run-example.ts";

const uses = collectCodes();
const pages = areas.flatMap((area) => Object.entries(area.pages));
const codes = new Set([...uses.map(({ code }) => code), ...serviceCodes]);

test("every code of the sources has a page, and every page has a code of the sources", () => {
  expect(pages.map(([code]) => code).toSorted()).toEqual([...codes].toSorted());
});

test("a page has its code, its remedy, its example and the message as the sources have it", () => {
  const [tooLong] = errorPages(uses).filter(({ path }) => path === "errors/key.too-long");

  expect(tooLong?.text).toMatch(/^# key\.too-long\n/);
  expect(tooLong?.text).toContain("The <key> of <entity> is <length> characters long");
  expect(tooLong?.text).toContain("Class: `KeyError`");
});

describe("the example of", () => {
  const executed = pages.filter(([, { needs }]) => needs === undefined);

  test.each(executed)(
    "%s fails with this code, and its message ends with the link",
    async (code, { example }) => {
      const { error, codes: found } = await outcomeOf(example);

      expect(found, String((error as Error | undefined)?.stack)).toContain(code);
      if (error === undefined) return;
      const { code: own, message } = error as TableError;
      expect(TableError.is(error)).toBe(true);
      expect(message.split(/\sSee https:\S+\/errors\//)).toEqual([expect.any(String), own]);
    },
  );
});
