import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { createTables, type EntityClass, openStorage, TableContext, type TableStorage } from "@partita/core";
import "reflect-metadata";
import ts from "typescript";
import type { Dialect, Program } from "./corpus.ts";
import { compilerOptions } from "./compile-programs.ts";
import { classesOf, moduleText, packages } from "./program-module.ts";

// Runs a program with a store in memory, like a user's program without type checks.

interface Module {
  readonly program: (storage: TableStorage, context: TableContext) => Promise<readonly EntityClass[]>;
}

/** Runs a program completely: its text, the first use of its classes, and a save of pending changes. */
export async function runProgram(program: Program, dialect: Dialect): Promise<void> {
  await using storage = await openStorage("memory:");
  const classes = rightClasses(program, dialect);
  await createTables(storage, Object.values(classes));
  await store(storage, classes);
  const context = new TableContext(storage);
  try {
    const { program: run } = load<Module>(moduleText(program), dialect, classes);
    const declared = await run(storage, context);
    await createTables(storage, declared);
    await context.saveChanges();
  } finally {
    context.clear({ discard: true });
  }
}

/** The error's code if it is one of ours, such as `model.key-format`. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" && /^[a-z]+\.[a-z-]+$/.test(code) ? code : undefined;
}

/** The stored data for every program: a blog with a comment. */
async function store(storage: TableStorage, { Blog, Comment }: Classes): Promise<void> {
  const context = new TableContext(storage);
  const key = { channel: "tech", postedOn: new Date("2026-01-02T00:00:00Z") };
  context.create(Blog, { ...key, title: "First", note: "n", code: "a" });
  context.create(Comment, { ...key, no: 1, body: "Yes" });
  await context.saveChanges();
}

type Classes = Readonly<Record<"Blog" | "Comment" | "Runner", abstract new () => Record<string, unknown>>>;

const loaded = new Map<string, Classes>();

/** The fixture's classes in a form and dialect, loaded once. */
function rightClasses({ form }: Program, dialect: Dialect): Classes {
  const name = `${form} ${dialect}`;
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const file = join(import.meta.dirname, "../../fixture/programs", classesOf[form]);
  const classes = load<Classes>(readFileSync(file, "utf8"), dialect, {});
  loaded.set(name, classes);
  return classes;
}

function load<Exports>(text: string, dialect: Dialect, classes: object): Exports {
  const options: ts.CompilerOptions = {
    ...compilerOptions(dialect),
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    verbatimModuleSyntax: false,
    noEmit: false,
  };
  const { outputText } = ts.transpileModule(text, { compilerOptions: options });
  const exported = {};
  compileFunction(outputText, ["exports", "require"])(
    exported,
    (name: string): unknown => packages[name] ?? classes,
  );
  return exported as Exports;
}
