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
  /** What the project's package.json says of its `.js` files. */
  readonly moduleType: "module" | "commonjs";
  /** Whether the project has the decorators; the fixture has classes of `defineEntity` where it does not. */
  readonly hasDecorators: boolean;
  /** Packages that every program needs and the project does not have. */
  readonly missing: readonly string[];
  /** Everything the compiler printed. */
  readonly compilerOutput: string;
  /** What running the result printed on standard error; undefined when it was not run. */
  readonly runError: string | undefined;
}

/** Names the flags that are wrong. Pure. */
export function diagnose(trial: Trial): Finding[] {
  return rules.map((rule) => rule(trial)).filter((finding) => finding !== undefined);
}

type Rule = (trial: Trial) => Finding | undefined;

/** A rule that looks for the codes of compiler errors. */
const ifCompilerSays =
  (pattern: RegExp, find: (trial: Trial, match: RegExpExecArray) => Finding): Rule =>
  (trial) => {
    const match = pattern.exec(trial.compilerOutput);
    return match === null ? undefined : find(trial, match);
  };

const isMissing: Rule = ({ missing }) =>
  missing.length === 0
    ? undefined
    : {
        flag: "dependencies",
        problem: `${missing.join(" and ")} cannot be found`,
        remedy: `npm install ${missing.join(" ")}`,
      };

const isRefused = ifCompilerSays(
  /TS5\d{3}: Option '(\w+)(?:=([^']*))?'/,
  (_trial, [, flag = "", value = "it"]) => ({
    flag,
    problem: `your TypeScript refuses "${value}"`,
    remedy: remedies[flag] ?? "remove it, or set what the compiler's message below says",
  }),
);

const lacksTypes = ifCompilerSays(
  /TS2688: Cannot find type definition file for '([^']+)'/,
  (_trial, [, name = ""]) => ({
    flag: "types",
    problem: `"${name}" is not installed`,
    remedy: `install @types/${name}, or take it out of "types"`,
  }),
);

const lacksNode = ifCompilerSays(
  /Cannot find (?:name|global type) '(?:Buffer|AbortSignal|console|process|URL)'/,
  () => ({
    flag: "types",
    problem: "the types of Node are not read; TypeScript 6 and later take no @types by themselves",
    remedy: 'install @types/node, and set "types": ["node"]',
  }),
);

const resolvesNothing: Rule = ({ options, missing, compilerOutput }) =>
  missing.length === 0 && /TS2307|TS2792|TS7016/.test(compilerOutput) && /@partita\//.test(compilerOutput)
    ? {
        flag: "moduleResolution",
        problem: `"${options.moduleResolution ?? "the default"}" does not find the types of the packages`,
        remedy: 'set "module": "NodeNext" (or "moduleResolution": "Bundler" with a bundler)',
      }
    : undefined;

const refusesRequire = ifCompilerSays(/TS1479/, ({ options }) => ({
  flag: "module",
  problem: `"${options.module ?? "the default"}" does not let CommonJS require ES modules, which Node does from 22.12 on`,
  remedy: 'set "module": "NodeNext" (TypeScript 5.8 or later), or "type": "module" in package.json',
}));

const allowsNoImport = ifCompilerSays(/TS1286|TS1287|TS1295/, () => ({
  flag: "verbatimModuleSyntax",
  problem: "your package.json makes the files CommonJS, in which it allows no import",
  remedy: 'set "type": "module" in package.json, or "verbatimModuleSyntax": false',
}));

const mixesModules: Rule = (trial) =>
  isMixed(trial)
    ? {
        flag: "module",
        problem: '"CommonJS" contradicts "type": "module" in package.json',
        remedy: 'set "module": "NodeNext", or take "type" out of package.json',
      }
    : undefined;

const speaksOldLanguage: Rule = (trial) =>
  isOldLanguage(trial)
    ? {
        flag: "target",
        problem: `"${trial.options.target ?? "the default"}" is older than the language of the packages`,
        remedy: remedies["target"] ?? "",
      }
    : undefined;

const lacksDisposal: Rule = (trial) =>
  lacksNode(trial) === undefined && !isOldLanguage(trial) && disposalErrors.test(trial.compilerOutput)
    ? {
        flag: "lib",
        problem: '"await using" needs the types of disposal',
        remedy: 'add "ESNext.Disposable" to "lib" (with "ES2023")',
      }
    : undefined;

const disposalErrors =
  /TS2318|TS2550|TS2850|TS2851|TS2852|TS2339.*asyncDispose|AsyncDisposable|Symbol\.asyncDispose|'ErrorOptions'/;

const leavesDecorators: Rule = ({ options: { experimentalDecorators, target = "es5" }, runError }) =>
  experimentalDecorators !== true &&
  /^es(next|202[4-9])$/i.test(target) &&
  runError !== undefined &&
  /SyntaxError/.test(runError)
    ? {
        flag: "target",
        problem: `"${target}" leaves standard decorators as they are, and no runtime knows them yet`,
        remedy: 'set "target": "ES2023", or "experimentalDecorators": true',
      }
    : undefined;

const rules: readonly Rule[] = [
  isMissing,
  isRefused,
  lacksTypes,
  lacksNode,
  resolvesNothing,
  refusesRequire,
  allowsNoImport,
  mixesModules,
  speaksOldLanguage,
  lacksDisposal,
  leavesDecorators,
];

/** Whether the compiler writes CommonJS into files that Node takes for ES modules. */
export const isMixed = ({ options, moduleType }: Pick<Trial, "options" | "moduleType">): boolean =>
  moduleType === "module" && options.module?.toLowerCase() === "commonjs";

/** Whether the compiler speaks a version of JavaScript that does not know private names, or the options of errors. */
const isOldLanguage = ({ options, compilerOutput }: Trial): boolean =>
  /TS18028/.test(compilerOutput) || (options.lib === undefined && /'ErrorOptions'/.test(compilerOutput));

/** What to set instead of values that compilers have given up. */
const remedies: Readonly<Record<string, string>> = {
  moduleResolution: 'set "module": "NodeNext" and remove "moduleResolution" (or "Bundler" with a bundler)',
  module: 'set "module": "NodeNext"',
  target: 'set "target": "ES2023"',
};

/** What is fine but worth knowing. */
export function remarks({
  options,
  moduleType,
  hasDecorators,
}: Pick<Trial, "options" | "moduleType" | "hasDecorators">): string[] {
  const modules =
    moduleType === "commonjs"
      ? ["modules: CommonJS, which loads Partita by require(), in Node 22.19 or later"]
      : [];
  const emit =
    options.noEmit === true
      ? ["TypeScript only checks here (noEmit): another tool compiles, see docs/toolchains.md"]
      : [];
  return [...(hasDecorators ? ofDecorators(options) : [notInstalled]), ...modules, ...emit];
}

const notInstalled =
  "decorators: @partita/decorators is not installed here, so classes of defineEntity are tried; decorated ones need npm install @partita/decorators";

function ofDecorators({ experimentalDecorators, emitDecoratorMetadata }: CompilerOptions): string[] {
  const dialect = experimentalDecorators === true ? "legacy (experimentalDecorators)" : "standard";
  const inference =
    experimentalDecorators === true && emitDecoratorMetadata === true
      ? "@Property() can infer types, with reflect-metadata loaded first"
      : "@Property() cannot infer types here: write the EDM decorator, or set experimentalDecorators and emitDecoratorMetadata";
  return [`decorators: ${dialect}`, inference];
}
