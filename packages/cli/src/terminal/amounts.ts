/** `1,234 rows`. */
export const counted = (count: number, thing: string): string =>
  `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes for people: `150 MiB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${Number(value.toFixed(value < 10 ? 2 : 1)).toLocaleString("en")} ${units[power]}`;
}
