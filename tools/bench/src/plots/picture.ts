import { writeFileSync } from "node:fs";
import { plot, type PlotOptions } from "@observablehq/plot";
import { parseHTML } from "linkedom";

/** Colours that differ in light and dark mode, and for most people with colour blindness. */
export const colours = {
  good: "#2f8f6b",
  bad: "#d9822b",
  peer: "#5b7fc7",
  target: "currentColor",
} as const;

/** Text and lines use the colour scheme of the reader's system. The background is the page's. */
const style = `
  svg { color: #1f2328; font-family: system-ui, sans-serif; font-size: 12px; background: none; }
  @media (prefers-color-scheme: dark) { svg { color: #e6edf3; } }
`;

/** Draws a plot into a standalone file. */
export function writePicture(file: string, title: string, options: PlotOptions): void {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const svg = plot({ ...options, document, style: { background: "none" } });
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", title);
  const own = document.createElement("style");
  own.textContent = style;
  svg.append(own);
  writeFileSync(file, `${svg.outerHTML}\n`);
}
