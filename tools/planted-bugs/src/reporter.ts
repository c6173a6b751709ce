import { appendFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { Report, TestReport } from "./verdict.ts";

/**
 * Vitest's reporter of planted bugs. When a test file ends, it appends a line of JSON to the file in
 * `PARTITA_REPORT`.
 */
export default class BugReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const tests = [...module.children.allTests()].map(reportOf);
    const report: Report = { bug: module.project.name, ms: module.diagnostic().duration, tests };
    appendFileSync(process.env["PARTITA_REPORT"] as string, `${JSON.stringify(report)}\n`);
  }
}

function reportOf(test: TestCase): TestReport {
  const { state, errors = [] } = test.result();
  return { state, messages: errors.map(({ name, message }) => `${name}: ${message}`) };
}
