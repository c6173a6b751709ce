import { expect, test } from "vitest";
import { diagnose, type Trial } from "../../src/doctor/diagnose.ts";

const trial = (changes: Partial<Trial>): Trial => ({
  options: { target: "es2023", module: "nodenext", lib: ["es2023"] },
  moduleType: "module",
  hasDecorators: true,
  missing: [],
  compilerOutput: "",
  runError: undefined,
  ...changes,
});

test("packages that are not installed are named, and not taken for a wrong resolution", () => {
  const compilerOutput = "fixture.ts(2,1): error TS2307: Cannot find module '@partita/core'.";

  expect(diagnose(trial({ missing: ["@partita/core"], compilerOutput }))).toEqual([
    {
      flag: "dependencies",
      problem: "@partita/core cannot be found",
      remedy: "npm install @partita/core",
    },
  ]);
  expect(diagnose(trial({ compilerOutput })).map(({ flag }) => flag)).toEqual(["moduleResolution"]);
});

test("a default target that is too old is named once, without talk of lib", () => {
  const compilerOutput = "error TS18028: Private identifiers\nerror TS2304: Cannot find name 'ErrorOptions'.";

  expect(diagnose(trial({ options: {}, compilerOutput }))).toMatchObject([
    { flag: "target", remedy: 'set "target": "ES2023"' },
  ]);
});
