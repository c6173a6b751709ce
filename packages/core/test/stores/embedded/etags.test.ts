import { expect, test } from "vitest";
import { etagOf, versionOfEtag } from "../../../src/stores/embedded/stored-row.ts";

const micros = Date.parse("2026-07-01T10:00:00.120Z") * 1000;

test("an ETag names its version, whichever was read before it", () => {
  const versions = [0, 1, 999, 1000, 1001, 0, 86_400_000_000].map((after) => micros + after);

  expect(versions.map((version) => versionOfEtag(etagOf(version)))).toEqual(versions);
});

test.each([
  ["a digit less", (etag: string) => `${etag.slice(0, -7)}010Z'"`],
  ["a digit more", (etag: string) => `${etag.slice(0, -7)}00010Z'"`],
  ["a letter among its digits", (etag: string) => `${etag.slice(0, -7)}0a10Z'"`],
  ["a last digit that no row has", (etag: string) => `${etag.slice(0, -7)}0011Z'"`],
  ["another end", (etag: string) => `${etag.slice(0, -4)}0Z+"`],
])("an ETag with %s is of no row, also after one that begins alike", (_name, change) => {
  const etag = etagOf(micros + 1);

  expect(versionOfEtag(etag)).toBe(micros + 1);
  expect(versionOfEtag(change(etag))).toBe(-1);
});
