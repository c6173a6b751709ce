import { expect, test } from "vitest";
import { Density } from "../../src/page-ranges/density.ts";
import { formatBytes } from "../../src/terminal/amounts.ts";
import { printMap, svgCells, svgMap, terminalCells } from "../../src/page-ranges/print-map.ts";
import { progressBar } from "../../src/terminal/progress-bar.ts";

test("the map of a terminal has rows with their places, and a shade for what is written", () => {
  const size = terminalCells * 512;
  const density = new Density();
  density.add({ start: 0, end: 64 * 512 - 1 });
  density.add({ start: 65 * 512, end: 66 * 512 - 1 });

  const lines = printMap(density.shares(size, terminalCells), size).split("\n");

  expect(lines).toHaveLength(17);
  expect(lines[0]).toBe(`       0 B  ${"█".repeat(64)}`);
  expect(lines[1]).toBe(`    32 KiB  ·█${"·".repeat(62)}`);
  expect(lines[2]).toBe(`    64 KiB  ${"·".repeat(64)}`);
});

test("a page of a large part is seen", () => {
  const density = new Density();
  density.add({ start: 0, end: 511 });

  const [first, second] = printMap(density.shares(2 ** 39, terminalCells), 2 ** 39).split("\n");

  expect(first).toMatch(/^ {7}0 B {2}░·+$/);
  expect(second).toMatch(/^ {4}32 GiB {2}·+$/);
});

test("the picture has a square for each part that is written, and its title as text", () => {
  const density = new Density();
  density.add({ start: 0, end: 2 * 1024 ** 2 - 1 });
  const size = svgCells * 1024 ** 2;

  const svg = svgMap(density.shares(size, svgCells), size, "a < b & c");

  expect(svg.match(/fill-opacity="1\.00"/g)).toHaveLength(2);
  expect(svg).toContain("<title>a &lt; b &amp; c</title>");
});

test("bytes are written in the unit that fits", () => {
  expect([0, 512, 1536, 150 * 1024 ** 2, 8 * 1024 ** 4].map(formatBytes)).toStrictEqual([
    "0 B",
    "512 B",
    "1.5 KiB",
    "150 MiB",
    "8 TiB",
  ]);
});

test("the bar is drawn on terminals only", () => {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  const progress = { done: 1024, size: 4096, calls: 2 };

  progressBar({ isTTY: false, write } as never).show(progress);
  progressBar({ isTTY: true, write } as never).show(progress);

  expect(written).toStrictEqual([
    `\r\u001b[K${"█".repeat(10)}${"·".repeat(30)}  25 %  1 KiB of 4 KiB, 2 calls`,
  ]);
});
