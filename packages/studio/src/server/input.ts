import { type CellChange, type CellType, edmTypes, type RowKey } from "../api/cells.ts";
import { RequestError } from "./request-error.ts";

/** Reads members of a request's body. A member of the wrong type is an error with its name. */
export class Input {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(body: unknown) {
    if (typeof body !== "object" || body === null || Array.isArray(body))
      throw RequestError.wrongInput("The request's body must be an object.");
    this.#members = body as Readonly<Record<string, unknown>>;
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined) throw RequestError.wrongInput(`${name} is missing.`);
    return value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#member(name);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw RequestError.wrongInput(`${name} must be text.`);
    return value;
  }

  /** The content of a file that the page sends. */
  file(name: string): AsyncIterable<Uint8Array> {
    const value = this.#member(name);
    const isStream = typeof value === "object" && value !== null && Symbol.asyncIterator in value;
    if (!isStream) throw RequestError.wrongInput(`${name} must be a file.`);
    return value as AsyncIterable<Uint8Array>;
  }

  isTrue(name: string): boolean {
    return this.#member(name) === true;
  }

  wholeNumber(name: string, least: number, most: number): number {
    const value = this.#member(name);
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most)
      throw RequestError.wrongInput(`${name} must be a whole number from ${least} to ${most}.`);
    return value;
  }

  list(name: string, most: number): readonly Input[] {
    return this.#listOf(name, most).map((each) => new Input(each));
  }

  texts(name: string, most: number): readonly string[] {
    const values = this.#listOf(name, most);
    if (values.some((value) => typeof value !== "string"))
      throw RequestError.wrongInput(`${name} must be a list of texts.`);
    return values as readonly string[];
  }

  key(): RowKey {
    return { partitionKey: this.text("partitionKey"), rowKey: this.text("rowKey") };
  }

  changes(name: string): readonly CellChange[] {
    return this.list(name, 1000).map((each) => ({
      name: each.text("name"),
      type: each.#cellType(),
      value: (each.#member("value") ?? null) as CellChange["value"],
    }));
  }

  oneOf<const Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.text(name);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw RequestError.wrongInput(`${name} must be one of ${choices.join(", ")}.`);
    return found;
  }

  /** A member with one side, or one side for each of several names. */
  sides(name: string): "mine" | "theirs" | ReadonlyMap<string, "mine" | "theirs"> {
    const value = this.#member(name);
    if (value === "mine" || value === "theirs") return value;
    const chosen = Object.entries(new Input(value).#members);
    if (chosen.some(([, side]) => side !== "mine" && side !== "theirs"))
      throw RequestError.wrongInput(`${name} must be "mine" or "theirs" for each property.`);
    return new Map(chosen as [string, "mine" | "theirs"][]);
  }

  has(name: string): boolean {
    return this.#member(name) !== undefined && this.#member(name) !== null;
  }

  #cellType(): CellType {
    const type = this.text("type");
    if (!cellTypes.has(type)) throw RequestError.wrongInput("type must be one of the property types.");
    return type as CellType;
  }

  #listOf(name: string, most: number): readonly unknown[] {
    const value = this.#member(name);
    if (!Array.isArray(value) || value.length > most)
      throw RequestError.wrongInput(`${name} must be a list of at most ${most}.`);
    return value;
  }

  #member(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
  }
}

const cellTypes: ReadonlySet<string> = new Set<CellType>([...edmTypes, "Json"]);
