import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("40,000 runners are found by bib, age, club and e-mail, and a taken e-mail is refused", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  const [head, ...responses] = stdout.trim().split("\n\n");
  expect(head).toBe("40000 runners are registered.");
  const annotated = (question: string): string | undefined =>
    responses.find((text) => text.startsWith(question));
  expect(annotated("Who has the bib number 1234?")).toContain("1 request(s), 1 rows: 1234 Bo (76)");
  expect(annotated("And 1000 to 1009?")).toContain("1 request(s), 10 rows: ");
  expect(annotated("The first ten")).toMatch(
    /index byAge · .* ge 'AGE:050' .*\n {2}1 request\(s\), 10 rows: 56 John/,
  );
  expect(annotated("The same without")).toMatch(
    /better by via\("byAge"\)\n {2}20 request\(s\), 20000 rows: .*\n {2}sorted here: 56 116 176 236 296 /,
  );
  expect(annotated("Club 07, whole runners")).toMatch(
    /index byClub, then the rows · .*\n {2}21 request\(s\), 40 rows/,
  );
  expect(annotated("Club 07, bib numbers")).toMatch(/index byClub · .*\n {2}1 request\(s\), 267 rows/);
  expect(annotated("Whose is")).toMatch(/point \(best\) · .*\n {2}2 request\(s\), 2 rows: 4711 Zoe \(55\)/);
  expect(annotated("Refused")).toMatch(/^Refused \(conflict\.unique\): email is taken\./);
  expect(annotated("Club 07 from 20,000 on")).toContain("2 request(s), 2 rows: 20001 Kim (33)");
  expect(responses.at(-1)).toBe("Kim, kim@example.org");
});
