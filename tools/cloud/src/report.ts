import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "./probes/probe.ts";

/** The measurements of one account. */
export interface Report {
  readonly account: string;
  readonly at: string;
  readonly probes: Readonly<Record<string, readonly Finding[]>>;
}

/** Prints a report as a Markdown table, and writes it to a file. */
export function publish(report: Report, folder: string): void {
  console.log(printReport(report));
  mkdirSync(folder, { recursive: true });
  const name = report.account.toLowerCase().replaceAll(/\W+/g, "-");
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, undefined, 2)}\n`);
}

export function printReport({ account, at, probes }: Report): string {
  const lines = Object.entries(probes).flatMap(([probe, findings]) =>
    findings.map(({ what, measured, assumed, holds }) => {
      const expected = assumed === undefined ? "" : JSON.stringify(assumed);
      return `| ${probe} | ${what} | ${JSON.stringify(measured)} | ${expected} | ${holds ? "" : "**no**"} |`;
    }),
  );
  const head = "| Probe | What | Measured | Assumed | Holds |\n| --- | --- | --- | --- | --- |";
  return `\n${account}, ${at}\n\n${head}\n${lines.join("\n")}\n`;
}
