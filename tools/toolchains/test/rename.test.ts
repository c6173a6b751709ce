import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { compilerOptions } from "../src/programs/compile-programs.ts";
import type { Dialect } from "../src/programs/corpus.ts";

// Rename and go to definition of an entity's properties, as editors ask the compiler for them.

const folder = join(import.meta.dirname, "../fixture/programs");
const usage = join(folder, "usage.ts");

/** Each use of a property: how it is called here, and its text, in which a property stands between bars. */
const uses: Readonly<Record<string, string>> = {
  "where an object": `context.query(Blog).where({ |channel|: "a", |title|: "t" });`,
  "where a callback": `context.query(Blog).where((b) => b.|channel|.eq("a").and(b.|title|.startsWith("t")));`,
  "find by key": `context.find(Blog, { |channel|: "a", |postedOn|: on });`,
  "find several keys": `context.findMany(Blog, [{ |channel|: "a", |postedOn|: on }]);`,
  "remove by key": `context.removeByKey(Blog, { |channel|: "a", |postedOn|: on }, "*");`,
  "modify by key": `context.modify(Blog, { |channel|: "a", |postedOn|: on }, () => undefined);`,
  create: `context.create(Blog, { |channel|: "a", |postedOn|: on, |title|: "t" });`,
  "a selected property": `context.query(Blog).select("title").first().then((b) => b?.|title|);`,
  "include children": `context.query(Blog).include((b) => b.|comments|);`,
  "a property of an instance": `console.log(new Blog().|title|);`,
};

const forms: readonly (readonly [form: string, classes: string, dialect: Dialect])[] = [
  ["defineEntity", "defined.ts", "standard"],
  ["standard decorators", "decorated.ts", "standard"],
  ["legacy decorators", "decorated.ts", "legacy"],
];

describe.each(forms)("%s", (form, classes, dialect) => {
  const editor = editorOf(classes, dialect);

  test("the program compiles", () => {
    expect(editor.errors()).toEqual([]);
  });

  test.each(Object.keys(uses))("rename reaches %s", (use) => {
    const places = editor.placesOf(use);
    const missed = places.filter(({ name, start }) => !editor.renamed(name).has(start));

    expect(missed).toEqual([]);
  });

  test.each(Object.keys(uses))("go to definition leads from %s to the class", (use) => {
    const places = editor.placesOf(use);
    const missed = places.filter(({ name, start }) => !editor.leadsToClass(name, start));

    expect(missed).toEqual([]);
  });
});

/** One property in the text of a use. */
interface Place {
  readonly name: string;
  readonly start: number;
}

interface Editor {
  /** Where the properties of a use stand in the program. */
  placesOf(use: string): readonly Place[];
  /** Where the program changes if a property of the class is renamed in its declaration. */
  renamed(name: string): ReadonlySet<number>;
  /** Whether a place's definition is the declaration in the class. */
  leadsToClass(name: string, start: number): boolean;
  errors(): string[];
}

/** An editor with the classes of a form and a program that uses them. */
function editorOf(classes: string, dialect: Dialect): Editor {
  const file = join(folder, classes);
  const { text, places } = programText(classes);
  const service = serviceOf(text, [file, usage], dialect);
  const declared = (name: string): number => declarationOf(readFileSync(file, "utf8"), name);
  return {
    placesOf: (use) => places.get(use) ?? [],
    renamed(name) {
      const found = service.findRenameLocations(file, declared(name), false, false, {}) ?? [];
      return new Set(found.filter((each) => each.fileName === usage).map((each) => each.textSpan.start));
    },
    leadsToClass: (name, start) =>
      (service.getDefinitionAtPosition(usage, start) ?? []).some(
        (each) => each.fileName === file && each.textSpan.start === declared(name),
      ),
    errors: () =>
      service
        .getSemanticDiagnostics(usage)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
  };
}

/** The program of all uses, and where their properties stand in it. */
function programText(classes: string): { text: string; places: Map<string, Place[]> } {
  let text = `import type { TableContext } from "@partita/core";
import { Blog } from "./${classes}";
export function use(context: TableContext, on: Date): void {
`;
  const places = new Map<string, Place[]>();
  for (const [use, code] of Object.entries(uses)) {
    const parts = code.split("|");
    const own: Place[] = [];
    text += "void ";
    for (const [i, part] of parts.entries()) {
      if (i % 2 === 1) own.push({ name: part, start: text.length });
      text += part;
    }
    text += "\n";
    places.set(use, own);
  }
  return { text: `${text}}\n`, places };
}

/** Where the class `Blog` declares a property. */
function declarationOf(text: string, name: string): number {
  const blog = text.indexOf("class Blog");
  const found = new RegExp(`\\b${name}(?=[?!]?: )`).exec(text.slice(blog));
  if (found === null) throw new Error(`Blog declares no ${name}.`);
  return blog + found.index;
}

function serviceOf(text: string, files: readonly string[], dialect: Dialect): ts.LanguageService {
  const options = compilerOptions(dialect);
  const read = (name: string): string | undefined => (name === usage ? text : ts.sys.readFile(name));
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files],
    getScriptVersion: () => "1",
    getScriptSnapshot(name) {
      const known = read(name);
      return known === undefined ? undefined : ts.ScriptSnapshot.fromString(known);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => name === usage || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: (name) => ts.sys.directoryExists(name),
  });
}
