import { formatBytes } from "../terminal/amounts.ts";

const [columns, rows] = [64, 16];
/** From empty to full. Even a single page of a large part is visible. */
const shades = ["·", "░", "▒", "▓", "█"];

/** Number of parts of a map in a terminal. */
export const terminalCells: number = columns * rows;

/**
 * A map for terminals: a character for each part, in lines that start with the position of their first byte.
 */
export function printMap(shares: readonly number[], size: number): string {
  const lines = Array.from({ length: rows }, (_, row) => {
    const cells = shares.slice(row * columns, (row + 1) * columns).map(shadeOf);
    return `${formatBytes((size / rows) * row).padStart(10)}  ${cells.join("")}`;
  });
  return [
    ...lines,
    `${"".padStart(10)}  ${shades[0]} none  ${shades.slice(1, -1).join("")} some  ${shades.at(-1)} all`,
  ].join("\n");
}

const shadeOf = (share: number): string => shades[Math.ceil(share * (shades.length - 1) - 1e-9)] ?? "";

const [gridColumns, gridRows] = [128, 32];

/** Number of parts of an SVG map. */
export const svgCells: number = gridColumns * gridRows;

const cell = 8;
const [left, top] = [76, 34];

/** The map as an SVG picture. The darker a part is, the more of it is written. */
export function svgMap(shares: readonly number[], size: number, title: string): string {
  const width = left + gridColumns * cell + 16;
  const height = top + gridRows * cell + 16;
  const parts = shares.flatMap((share, i) => {
    if (share === 0) return [];
    const [x, y] = [left + (i % gridColumns) * cell, top + Math.floor(i / gridColumns) * cell];
    // Keeps parts with few written pages visible.
    const opacity = (0.15 + 0.85 * share).toFixed(2);
    return [`<rect x="${x}" y="${y}" width="${cell}" height="${cell}" fill-opacity="${opacity}"/>`];
  });
  const labels = Array.from({ length: gridRows / 4 }, (_, i) => {
    const text = formatBytes((size / gridRows) * 4 * i);
    return `<text x="${left - 8}" y="${top + i * 4 * cell + 8}" text-anchor="end">${text}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="10">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="20" font-size="12">${escaped(title)}</text>`,
    ...labels,
    `<rect x="${left}" y="${top}" width="${gridColumns * cell}" height="${gridRows * cell}" fill="#eef1f4"/>`,
    `<g fill="#0a4f8f">`,
    ...parts,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
