/** A number with its unit: `1 row`, `1,200 rows`. */
export const counted = (count: number, unit: string): string =>
  `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;

/** A size in its largest unit: `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  const [unit, name] =
    bytes < 1_000_000 ? [1000, "kB"] : bytes < 1_000_000_000 ? [1_000_000, "MB"] : [1_000_000_000, "GB"];
  return `${(bytes / unit).toFixed(1)} ${name}`;
}
