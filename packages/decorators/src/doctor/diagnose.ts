/** A compiler flag that does not fit, and what to set instead. */
export interface Finding {
  readonly flag: string;
  readonly problem: string;
  readonly remedy: string;
}

/** The compiler options that matter here, as `tsc --showConfig` prints them. */
export interface CompilerOptions {
  readonly experimentalDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  readonly target?: string;
  readonly module?: string;
  readonly moduleResolution?: string;
  readonly lib?: readonly string[];
  readonly noEmit?: boolean;
}

/** What happened when the fixture was compiled and run with these options. */
export interface Trial {
  readonly options: CompilerOptions;
  /** Everything the compiler printed. */
  readonly compilerOutput: string;
  /** What running the result printed on standard error; undefined when it was not run. */
  readonly runError: string | undefined;
}

/** Names the flags that are wrong. Pure. */
export function diagnose({ options, compilerOutput, runError }: Trial): Finding[] {
  const findings: Finding[] = [];
  const add = (flag: string, problem: string, remedy: string): void =>
    void findings.push({ flag, problem, remedy });

  const refused = /TS5\d{3}: Option '(\w+)(?:=([^']*))?'/.exec(compilerOutput);
  if (refused !== null)
    add(
      refused[1] ?? "",
      `your TypeScript refuses "${refused[2] ?? "it"}"`,
      remedies[refused[1] ?? ""] ?? "remove it, or set what the compiler's message below says",
    );
  const types = /TS2688: Cannot find type definition file for '([^']+)'/.exec(compilerOutput)?.[1];
  if (types !== undefined)
    add("types", `"${types}" is not installed`, `install @types/${types}, or take it out of "types"`);
  if (/TS2307|TS2792|TS7016/.test(compilerOutput) && /@partita\//.test(compilerOutput))
    add(
      "moduleResolution",
      `"${options.moduleResolution ?? "the default"}" does not read the "exports" of packages`,
      'set "module": "NodeNext" (or "moduleResolution": "Bundler" with a bundler)',
    );
  else if (/TS1479|TS1287|TS1295/.test(compilerOutput))
    add(
      "module",
      `"${options.module ?? "the default"}" compiles to CommonJS`,
      'set "module": "NodeNext" and "type": "module" in package.json',
    );
  if (
    /TS2318|TS2550|TS2850|TS2851|TS2852|TS2339.*asyncDispose|AsyncDisposable|Symbol\.asyncDispose/.test(
      compilerOutput,
    )
  )
    add(
      "lib",
      '"await using" needs the types of disposal',
      'add "ESNext.Disposable" to "lib" (with "ES2023")',
    );
  const isLowered =
    options.experimentalDecorators === true || !/^es(next|202[4-9])$/i.test(options.target ?? "es5");
  if (!isLowered && runError !== undefined && /SyntaxError/.test(runError))
    add(
      "target",
      `"${options.target}" leaves standard decorators as they are, and no runtime knows them yet`,
      'set "target": "ES2023", or "experimentalDecorators": true',
    );
  return findings;
}

/** What to set instead of values that compilers have given up. */
const remedies: Readonly<Record<string, string>> = {
  moduleResolution: 'set "module": "NodeNext" and remove "moduleResolution" (or "Bundler" with a bundler)',
  module: 'set "module": "NodeNext"',
  target: 'set "target": "ES2023"',
};

/** What is fine but worth knowing. */
export function remarks({
  experimentalDecorators,
  emitDecoratorMetadata,
  noEmit,
}: CompilerOptions): string[] {
  const dialect = experimentalDecorators === true ? "legacy (experimentalDecorators)" : "standard";
  const inference =
    experimentalDecorators === true && emitDecoratorMetadata === true
      ? "@Property() can infer types, with reflect-metadata loaded first"
      : "@Property() cannot infer types here: write the EDM decorator, or set experimentalDecorators and emitDecoratorMetadata";
  const emit =
    noEmit === true
      ? ["TypeScript only checks here (noEmit): another tool compiles, see docs/toolchains.md"]
      : [];
  return [`decorators: ${dialect}`, inference, ...emit];
}
