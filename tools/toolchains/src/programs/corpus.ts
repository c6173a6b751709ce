import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// The programs of fixture/programs. In these pages, a heading describes the mistake (or correct use) and
// quotes the names it is about. Each code block below it is that program in one form.

export type Form = "defineEntity" | "decorators";
export type Dialect = "standard" | "legacy";

/** One program in one form. */
export interface Program {
  /** A description of the mistake or correct use. */
  readonly title: string;
  /** The names that the title quotes. A readable error mentions one of them. */
  readonly names: readonly string[];
  readonly form: Form;
  /** The dialects to test. A class of `defineEntity` is the same in all of them. */
  readonly dialects: readonly Dialect[];
  readonly code: string;
  /** Its page and line. */
  readonly place: string;
}

const folder = join(import.meta.dirname, "../../fixture/programs");

/** The word after ```ts, and its programs. */
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

/** @throws Error for a code block without a form or a heading */
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
      throw new Error(`${page}:${line} is a program without a title, or with an unknown form: "${form}"`);
    const names = [...title.matchAll(/`([^`]+)`/g)].map((quoted) => quoted[1] as string);
    for (const one of forms) programs.push({ title, names, ...one, code, place: `${page}:${line}` });
  }
  return programs;
}
