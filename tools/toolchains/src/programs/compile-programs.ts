import { join } from "node:path";
import ts from "typescript";
import type { Dialect, Program } from "./corpus.ts";
import { moduleText } from "./program-module.ts";

// Compiles all programs of one dialect together, against the published declarations.

const root = join(import.meta.dirname, "../..");

/** The first diagnostic of a program. */
export interface FirstError {
  /** The first line of the message, as the compiler prints it. */
  readonly line: string;
  /** The line of the program that it points to. */
  readonly source: string;
}

/** Compiles programs. Those that compile have no error. */
export function compilePrograms(
  programs: readonly Program[],
  dialect: Dialect,
): Map<Program, FirstError | undefined> {
  const modules = new Map(
    programs.map((program, i) => [join(root, "fixture/programs", `program-${i}.ts`), program] as const),
  );
  const options = compilerOptions(dialect);
  const compiled = ts.createProgram([...modules.keys()], options, hostOf(modules, options));
  return new Map([...modules].map(([file, program]) => [program, firstErrorOf(compiled, file)]));
}

/** The workspace's strict options in one dialect. */
export function compilerOptions(dialect: Dialect): ts.CompilerOptions {
  const { tsBuildInfoFile: _, ...options } = (strictOptions ??= readOptions());
  return {
    ...options,
    // Uses the published declarations, like a user's project.
    customConditions: [],
    experimentalDecorators: dialect === "legacy",
    emitDecoratorMetadata: dialect === "legacy",
    incremental: false,
  };
}

let strictOptions: ts.CompilerOptions | undefined;

function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (file) => ts.sys.readFile(file)) as {
    config: object;
  };
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root).options;
}

/** Resolves programs in memory, next to the fixture's classes, and all other files on the disk. */
function hostOf(modules: ReadonlyMap<string, Program>, options: ts.CompilerOptions): ts.CompilerHost {
  const disk = ts.createCompilerHost(options);
  return {
    ...disk,
    fileExists: (file) => modules.has(file) || disk.fileExists(file),
    getSourceFile(file, language, ...rest) {
      const program = modules.get(file);
      if (program !== undefined) return ts.createSourceFile(file, moduleText(program), language);
      const known = parsed.get(file) ?? disk.getSourceFile(file, language, ...rest);
      if (known?.isDeclarationFile === true) parsed.set(file, known);
      return known;
    },
  };
}

/** The declarations of packages and libraries, shared by all compilations. */
const parsed = new Map<string, ts.SourceFile>();

function firstErrorOf(compiled: ts.Program, file: string): FirstError | undefined {
  const source = compiled.getSourceFile(file);
  const [first] = [...compiled.getSyntacticDiagnostics(source), ...compiled.getSemanticDiagnostics(source)];
  if (first === undefined) return undefined;
  const { messageText: message, start = 0 } = first;
  const text = source?.text ?? "";
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const end = text.indexOf("\n", start);
  return {
    line: (typeof message === "string" ? message : message.messageText).split("\n")[0] ?? "",
    source: text.slice(from, end === -1 ? undefined : end).trim(),
  };
}
