import * as core from "@partita/core";
import * as keys from "@partita/core/keys";
import * as maintenance from "@partita/maintenance";
import * as models from "@partita/core/models";
import * as upgrades from "@partita/core/upgrades";
import * as decorators from "@partita/decorators";
import type { Form, Program } from "./corpus.ts";

// Wraps a program of the corpus in a module: its imports, and a function with its text. So the text can use
// await, and declare classes like any program.

/** The packages that a program can import. */
export const packages: Readonly<Record<string, object>> = {
  "@partita/decorators": decorators,
  "@partita/core": core,
  "@partita/core/keys": keys,
  "@partita/core/upgrades": upgrades,
  "@partita/maintenance": maintenance,
  "@partita/core/models": models,
};

/** The types that programs use. Values are found in the packages. */
const types: Readonly<Record<string, readonly string[]>> = {
  "@partita/core": ["EntityClass", "EntityKey", "KeyOf", "NewOf", "PageToken", "Query", "TableStorage"],
  "@partita/core/keys": ["KeyFormat"],
  "@partita/decorators": ["Key"],
};

/** The module with the correct classes in a form. */
export const classesOf: Readonly<Record<Form, string>> = {
  defineEntity: "./defined.ts",
  decorators: "./decorated.ts",
};
const classNames = ["Blog", "Comment", "Runner"];

/** The text of the module. Its first line has the imports. */
export function moduleText({ code, form }: Program): string {
  return `${importsFor(code, form)}
export async function program(storage: TableStorage, context: TableContext): Promise<object[]> {
${code}
return [${entitiesOf(code).join(", ")}];
}
`;
}

/** Imports the names that a program uses and does not declare, in one line. */
function importsFor(code: string, form: Form): string {
  const declared = new Set(
    namesIn(code, /\b(?:class|const|let|function|enum|type|interface) +([A-Za-z]\w*)/g),
  );
  const used = new Set(["TableStorage", "TableContext", ...namesIn(code, /\b([A-Za-z]\w*)\b/g)]);
  const wanted = [...used].filter((name) => !declared.has(name));
  const lines = [
    line(
      classesOf[form],
      wanted.filter((name) => classNames.includes(name)),
      [],
    ),
  ];
  const taken = new Set(classNames);
  for (const [name, exported] of Object.entries(packages)) {
    if (name === "@partita/decorators" && form === "defineEntity") continue;
    const free = wanted.filter((each) => !taken.has(each));
    const values = free.filter((each) => Object.hasOwn(exported, each));
    const typeNames = free.filter((each) => types[name]?.includes(each));
    for (const each of [...values, ...typeNames]) taken.add(each);
    lines.push(line(name, values, typeNames));
  }
  return lines.join("");
}

function line(from: string, values: readonly string[], typeNames: readonly string[]): string {
  const names = [...values, ...typeNames.map((name) => `type ${name}`)];
  return names.length === 0 ? "" : `import { ${names.join(", ")} } from "${from}"; `;
}

/** The entities that a program declares. They are built after its text has run, like on first use. */
function entitiesOf(code: string): string[] {
  const declaration =
    /^(?:(?:@(?:Table|Kind)\b.*\n(?:@.*\n)*)(?:abstract )?class (\w+)|(?:const|(?:abstract )?class) (\w+) (?:=|extends) define(?:Entity|Kind)\()/gm;
  return [...code.matchAll(declaration)].map((match) => (match[1] ?? match[2]) as string);
}

const namesIn = (code: string, pattern: RegExp): string[] =>
  [...code.matchAll(pattern)].map((match) => match[1] as string);
