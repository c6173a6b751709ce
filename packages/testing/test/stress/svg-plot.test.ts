import { expect, test } from "vitest";
import { reportOf } from "../../src/stress/plots/report-of.ts";
import { figures } from "./figures.ts";

test("the SVG is one file that stands alone, and escapes what keys may hold", () => {
  const svg = reportOf(figures).svg();

  expect(svg).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img">\n<title>Partition "&lt;&amp;&gt;" of Blog/,
  );
  expect(svg.match(/<circle/g)?.length).toBe(3 + 6);
  expect(svg).toContain("target");
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  expect(svg).toMatch(/<\/svg>\n$/);
});
