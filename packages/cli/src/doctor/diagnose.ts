/** A wrong compiler flag and its remedy. */
export interface Finding {
  readonly flag: string;
  readonly problem: string;
  readonly remedy: string;
}

/** The compiler options that the rules use, as `tsc --showConfig` prints them. */
export interface CompilerOptions {
  readonly experimentalDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  readonly target?: string;
  readonly module?: string;
  readonly moduleResolution?: string;
  readonly lib?: readonly string[];
  readonly noEmit?: boolean;
}

/** The result of compiling and running the fixture with these options. */
export interface Trial {
  readonly options: CompilerOptions;
  /** The type of `.js` files in the project's package.json. */
  readonly moduleType: "module" | "commonjs";
  /** Whether the project has the decorators. Otherwise the fixture uses classes of `defineEntity`. */
  readonly hasDecorators: boolean;
  /** Packages that every program needs and that the project lacks. */
  readonly missing: readonly string[];
  /** Everything the compiler printed. */
  readonly compilerOutput: string;
  /** The standard error of the program. Undefined if it was not run. */
  readonly runError: string | undefined;
}

/** Lists the wrong flags. Pure. */
export function diagnose(trial: Trial): Finding[] {
  return rules.map((rule) => rule(trial)).filter((finding) => finding !== undefined);
}

type Rule = (trial: Trial) => Finding | undefined;

/** A rule that matches the codes of compiler errors. */
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
    remedy: remedies[flag] ?? "remove it, or set the value from the compiler's message below",
  }),
);

const lacksTypes = ifCompilerSays(
  /TS2688: Cannot find type definition file for '([^']+)'/,
  (_trial, [, name = ""]) => ({
    flag: "types",
    problem: `"${name}" is not installed`,
    remedy: `install @types/${name}, or remove it from "types"`,
  }),
);

const lacksNode = ifCompilerSays(
  /Cannot find (?:name|global type) '(?:Buffer|AbortSignal|console|process|URL)'/,
  () => ({
    flag: "types",
    problem: "the types of Node are not loaded; TypeScript 6 and later load no @types by default",
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
  problem: "it allows no import in CommonJS, and your package.json makes the files CommonJS",
  remedy: 'set "type": "module" in package.json, or "verbatimModuleSyntax": false',
}));

const mixesModules: Rule = (trial) =>
  isMixed(trial)
    ? {
        flag: "module",
        problem: '"CommonJS" contradicts "type": "module" in package.json',
        remedy: 'set "module": "NodeNext", or remove "type" from package.json',
      }
    : undefined;

const speaksOldLanguage: Rule = (trial) =>
  isOldLanguage(trial)
    ? {
        flag: "target",
        problem: `"${trial.options.target ?? "the default"}" is older than the syntax of the packages`,
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
        problem: `"${target}" leaves standard decorators in the output, and no runtime supports them yet`,
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

/** Whether the compiler writes CommonJS to files that Node treats as ES modules. */
export const isMixed = ({ options, moduleType }: Pick<Trial, "options" | "moduleType">): boolean =>
  moduleType === "module" && options.module?.toLowerCase() === "commonjs";

/** Whether the compiler's version of JavaScript lacks private names or the options of errors. */
const isOldLanguage = ({ options, compilerOutput }: Trial): boolean =>
  /TS18028/.test(compilerOutput) || (options.lib === undefined && /'ErrorOptions'/.test(compilerOutput));

/** Remedies for values that newer compilers have removed. */
const remedies: Readonly<Record<string, string>> = {
  moduleResolution: 'set "module": "NodeNext" and remove "moduleResolution" (or "Bundler" with a bundler)',
  module: 'set "module": "NodeNext"',
  target: 'set "target": "ES2023"',
};

/** Facts about settings that are fine. */
export function remarks({
  options,
  moduleType,
  hasDecorators,
}: Pick<Trial, "options" | "moduleType" | "hasDecorators">): string[] {
  const modules =
    moduleType === "commonjs"
      ? ["modules: CommonJS, which loads Partita with require(), in Node 22.19 or later"]
      : [];
  const emit =
    options.noEmit === true
      ? ["TypeScript only checks types here (noEmit) and another tool compiles; see docs/toolchains.md"]
      : [];
  return [...(hasDecorators ? ofDecorators(options) : [notInstalled]), ...modules, ...emit];
}

const notInstalled =
  "decorators: @partita/decorators is not installed here, so the trial uses classes of defineEntity; for decorated classes, run npm install @partita/decorators";

function ofDecorators({ experimentalDecorators, emitDecoratorMetadata }: CompilerOptions): string[] {
  const dialect = experimentalDecorators === true ? "legacy (experimentalDecorators)" : "standard";
  const inference =
    experimentalDecorators === true && emitDecoratorMetadata === true
      ? "@Property() can infer types if reflect-metadata is loaded first"
      : "@Property() cannot infer types here: use the decorator of an EDM type, or set experimentalDecorators and emitDecoratorMetadata";
  return [`decorators: ${dialect}`, inference];
}
