import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// The programs of fixture/programs, as their pages have them: a heading says the mistake (or what is right) and quotes the names
// that it is about; each code block below it is that program in one form.

export type Form = "defineEntity" | "decorators";
export type Dialect = "standard" | "legacy";

/** One program in one form. */
export interface Program {
  /** What is wrong or right, in plain words. */
  readonly title: string;
  /** The names that the title quotes: what a readable error mentions. */
  readonly names: readonly string[];
  readonly form: Form;
  /** The dialects that it has to hold in; a class of `defineEntity` is the same in all. */
  readonly dialects: readonly Dialect[];
  readonly code: string;
  /** Its page and line. */
  readonly place: string;
}

const folder = join(import.meta.dirname, "../../fixture/programs");

/** What stands after ```ts, and the programs that it makes. */
const formsOf: Readonly<Record<string, readonly Pick<Program, "form" | "dialects">[]>> = {
  defineEntity: [{ form: "defineEntity", dialects: ["standard"] }],
  decorators: [{ form: "decorators", dialects: ["standard", "legacy"] }],
  standard: [{ form: "decorators", dialects: ["standard"] }],
  legacy: [{ form: "decorators", dialects: ["legacy"] }],
  both: [
    { form: "defineEntity", dialects: ["standard"] },
    { form: "decorators", dialects: ["standard", "legacy"] },
  ],
};

/** The programs of all pages of a folder, in order. */
export function readCorpus(kind: "wrong" | "right"): Program[] {
  const pages = readdirSync(join(folder, kind)).toSorted();
  return pages.flatMap((page) => programsOf(page, readFileSync(join(folder, kind, page), "utf8")));
}

/** @throws Error for a code block that names no form, or has no heading above it */
export function programsOf(page: string, text: string): Program[] {
  const programs: Program[] = [];
  let title: string | undefined;
  for (const match of text.matchAll(/^## (?<heading>.+)$|^```ts(?<form>.*)\n(?<code>[^]*?)^```$/gm)) {
    const { heading, form = "", code = "" } = match.groups as Readonly<Record<string, string | undefined>>;
    title = heading ?? title;
    if (heading !== undefined) continue;
    const line = text.slice(0, match.index).split("\n").length;
    const forms = formsOf[form.trim()];
    if (forms === undefined || title === undefined)
      throw new Error(`${page}:${line} is a program without a title, or of no known form: "${form}"`);
    const names = [...title.matchAll(/`([^`]+)`/g)].map((quoted) => quoted[1] as string);
    for (const one of forms) programs.push({ title, names, ...one, code, place: `${page}:${line}` });
  }
  return programs;
}
