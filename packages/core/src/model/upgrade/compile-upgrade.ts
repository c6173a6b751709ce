import { compileText } from "../../values/edm/compile-text.ts";
import { annotationOf, type StoredEntity } from "../../values/edm/stored-entity.ts";
import {
  addedBy,
  type ChangeContext,
  type Conversion,
  convertProperties,
  sourcesOf,
  type StoredProperty,
  stepsTo,
  targetsOf,
  type Types,
} from "./convert-values.ts";
import type { AddStep, NamedStep, Shape, StoredType } from "./step.ts";
import type { UpgradeChain } from "./upgrades.ts";

/*
 * Writes the code that upgrades the rows of one version, and has it compiled. Steps that only move values are worked out
 * here, once: the code reads each value under its old name and writes it under its last one. It takes rows that have
 * their version's properties and no others; whatever is of another form is left to `upgradeRow`, which changes the row step
 * by step or throws its typed error.
 *
 * In the code: `r` is the row, `n` the number of its members, `m` that of the members which the code has met; `v0` and
 * `a0` are a value and its annotation. Names enter the code only as JSON strings, values not at all.
 */

/** Members that rows of a class have beside its properties. */
export interface RowMembers {
  /** Members that every row has, whoever made it. */
  readonly system: readonly string[];
  /** Where the version is. */
  readonly version: string;
  /** Other members that stay as they are. */
  readonly others: readonly string[];
}

/** The upgraded row, with its version; undefined for a row of another form than its version's. */
export type CompiledUpgrade = (row: StoredEntity, entity: string) => StoredEntity | undefined;

/** Undefined where text may not be compiled, or the chain has what no code is written for. */
export function compileUpgrade(
  chain: UpgradeChain,
  from: number,
  members: RowMembers,
): CompiledUpgrade | undefined {
  const names = chain.shapes.slice(from - 1).flatMap((shape) => Object.keys(shape));
  if ([...names, ...members.others, members.version].includes("__proto__")) return undefined;
  let writer: UpgradeWriter;
  try {
    writer = new UpgradeWriter(chain, from, members);
  } catch {
    // A constant is no value of its type, which each row reports.
    return undefined;
  }
  return compileText<CompiledUpgrade>(Object.fromEntries(writer.constants), writer.code());
}

/** The code of an upgrade, for those who read what is handed to the runtime. */
export const codeOfUpgrade = (chain: UpgradeChain, from: number, members: RowMembers): string =>
  new UpgradeWriter(chain, from, members).code();

/** Where the code has a value of the row by now. */
interface Place {
  readonly value: string;
  readonly annotation: string;
  /** Whether every row that is taken has it. */
  readonly isSure: boolean;
  /** Whether its annotation is there whenever the value is; undefined where rows differ. */
  readonly isAnnotated: boolean | undefined;
}

const isAnnotated = ({ serializer, otherTypes }: StoredType): boolean | undefined =>
  otherTypes.length > 0 || serializer.annotation === "sometimes"
    ? undefined
    : serializer.annotation === "always";

const text = (name: string): string => JSON.stringify(name);

class UpgradeWriter {
  readonly constants = new Map<string, unknown>();
  readonly #lines: string[] = [];
  readonly #places = new Map<string, Place>();
  readonly #chain: UpgradeChain;
  readonly #from: number;
  readonly #members: RowMembers;

  constructor(chain: UpgradeChain, from: number, members: RowMembers) {
    this.#chain = chain;
    this.#from = from;
    this.#members = members;
    this.#read();
    for (let version = from + 1; version <= chain.version; version++)
      for (const { step, types } of stepsTo(chain, version)) this.#apply(step, types, version);
  }

  code(): string {
    const { version, system } = this.#members;
    const [sure, other] = [[] as string[], [] as string[]];
    for (const [name, { value, annotation, isSure, isAnnotated: hasType }] of this.#places) {
      const type = text(annotationOf(name));
      if (isSure && hasType !== undefined)
        sure.push(`    ${hasType ? `${type}: ${annotation}, ` : ""}${text(name)}: ${value},`);
      else {
        const assigned =
          hasType === false ? "" : `if (${annotation} !== undefined) d[${type}] = ${annotation}; `;
        other.push(`  if (${value} !== undefined) { ${assigned}d[${text(name)}] = ${value}; }`);
      }
    }
    return [
      `"use strict"; return function (r, entity) {`,
      ...this.#lines,
      "  const d = {",
      `    ${system.map((name, i) => `${text(name)}: y${i}`).join(", ")},`,
      `    ${text(version)}: ${this.#chain.version},`,
      ...sure,
      "  };",
      ...other,
      "  return d;",
      "};",
    ].join("\n");
  }

  /** Reads what a row of the version has, and leaves rows that have anything else. */
  #read(): void {
    const { version, system, others } = this.#members;
    this.#lines.push(
      "  let n = 0; for (const _ in r) n++;",
      ...system.map(
        (name, i) => `  const y${i} = r[${text(name)}]; if (y${i} === undefined) return undefined;`,
      ),
      `  let m = ${system.length}; if (r[${text(version)}] !== undefined) m++;`,
    );
    const shape = this.#chain.shapes[this.#from - 1] as Shape;
    for (const [i, name] of others.entries()) {
      this.#lines.push(`  const x${i} = r[${text(name)}]; if (x${i} !== undefined) m++;`);
      this.#places.set(name, { value: `x${i}`, annotation: "undefined", isSure: false, isAnnotated: false });
    }
    for (const [i, [name, type]] of Object.entries(shape).entries()) this.#readProperty(i, name, type);
    this.#lines.push("  if (m !== n) return undefined;");
  }

  #readProperty(i: number, name: string, type: StoredType): void {
    const [value, annotation] = [`v${i}`, `a${i}`];
    const place: Place = {
      value,
      annotation,
      isSure: type.presence === "required",
      isAnnotated: isAnnotated(type),
    };
    const [members, others] = place.isAnnotated === true ? [2, "==="] : [1, "!=="];
    // Nothing but values has an annotation; a type has it always or never, except those that rows have both ways.
    const count = place.isAnnotated === undefined ? `${annotation} === undefined ? 1 : 2` : String(members);
    const isOther =
      place.isAnnotated === undefined ? "" : `if (${annotation} ${others} undefined) return undefined; `;
    this.#lines.push(
      `  const ${value} = r[${text(name)}], ${annotation} = r[${text(annotationOf(name))}];`,
      `  if (${value} !== undefined) { ${isOther}m += ${count}; }${place.isSure ? " else return undefined;" : ""}`,
    );
    this.#places.set(name, place);
  }

  #apply(step: NamedStep | Conversion, types: Types, version: number): void {
    switch (step.op) {
      case "rename":
        this.#give(step.to, this.#take(step.from));
        break;
      case "add":
        this.#give(step.name, this.#constant(step));
        break;
      case "remove":
        this.#take(step.name);
        break;
      case "retype":
      case "split":
      case "join":
      case "free":
        this.#convert(step, types, version);
        break;
      default:
        step satisfies never;
    }
  }

  #take(name: string): Place | undefined {
    const place = this.#places.get(name);
    this.#places.delete(name);
    return place;
  }

  /** No row that is taken has a property of a name that no version has given yet: it is free. */
  #give(name: string, place: Place | undefined): void {
    if (place !== undefined) this.#places.set(name, place);
  }

  /** @throws UpgradeError when it is no value of its type: each row then reports it */
  #constant(step: AddStep): Place | undefined {
    const added = addedBy(step, { row: { PartitionKey: "", RowKey: "" }, entity: "", version: 0 });
    if (added === undefined) return undefined;
    const [value, annotation] = [this.#name("c", added.value), added.annotation];
    return {
      value,
      annotation: annotation === undefined ? "undefined" : text(String(annotation)),
      isSure: true,
      isAnnotated: annotation !== undefined,
    };
  }

  #convert(conversion: Conversion, types: Types, version: number): void {
    const convert = (
      row: StoredEntity,
      entity: string,
      found: readonly (StoredProperty | undefined)[],
    ): readonly (StoredProperty | undefined)[] => {
      const context: ChangeContext = { row, entity, version };
      return convertProperties(conversion, types, found, context).map(([, property]) => property);
    };
    const [work, made] = [this.#name("f", convert), `t${this.constants.size}`];
    const found = sourcesOf(conversion).map((name) => {
      const place = this.#take(name);
      if (place === undefined) return "undefined";
      const { value, annotation } = place;
      return `${value} === undefined ? undefined : { value: ${value}, annotation: ${annotation} }`;
    });
    this.#lines.push(`  const ${made} = ${work}(r, entity, [${found.join(", ")}]);`);
    for (const [i, name] of Object.keys(targetsOf(conversion)).entries())
      this.#give(name, {
        value: `${made}[${i}]?.value`,
        annotation: `${made}[${i}]?.annotation`,
        isSure: false,
        isAnnotated: undefined,
      });
  }

  /** A name for a constant of the code. */
  #name(letter: string, constant: unknown): string {
    const name = `${letter}${this.constants.size}`;
    this.constants.set(name, constant);
    return name;
  }
}
