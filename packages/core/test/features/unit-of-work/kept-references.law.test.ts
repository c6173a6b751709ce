import { withFaults } from "@partita/testing";
import { fc, test } from "@fast-check/vitest";
import { afterAll, beforeAll, expect } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";

class Item extends defineEntity({
  table: "Items",
  partitionKey: { part: text() },
  rowKey: { id: text() },
  properties: { p: int32().optional(), q: int32().optional() },
}) {}

type Values = { p?: number | undefined; q?: number | undefined };
type Action =
  | { type: "edit"; at: number; name: "p" | "q"; value: number | undefined }
  | { type: "add"; value: number }
  | { type: "remove"; at: number };
interface Save {
  type: "save";
  /** Positions among the references; everything when undefined. */
  only: number[] | undefined;
  /** What the first `saving` hook does. */
  inHook: Action[];
  /** What the first validator does. */
  inValidator: Action[];
  /** What the program does while the first request is under way. */
  inFlight: Action[];
}
type Command = Action | Save | { type: "look" };

const at = fc.nat({ max: 30 });
const edit = fc.record({
  type: fc.constant("edit" as const),
  at,
  name: fc.constantFrom("p", "q" as const),
  value: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 4 }),
});
const add = fc.record({ type: fc.constant("add" as const), value: fc.integer({ min: 1, max: 4 }) });
const remove = fc.record({ type: fc.constant("remove" as const), at });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: edit },
  { weight: 1, arbitrary: add },
  { weight: 1, arbitrary: remove },
);
const actions = fc.array(action, { maxLength: 3 });
const save = fc.record({
  type: fc.constant("save" as const),
  only: fc.option(fc.uniqueArray(at, { maxLength: 4 }), { nil: undefined, freq: 1 }),
  inHook: actions,
  inValidator: fc.array(edit, { maxLength: 2 }),
  inFlight: actions,
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: action },
  { weight: 3, arbitrary: save },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("look" as const) }) },
);

let inner: TableStorage;
let runs = 0;
beforeAll(async () => {
  inner = await openStorage("memory:", { durability: "normal" });
  await createTables(inner, [Item]);
});
afterAll(() => inner.close());

/** One context, every reference it ever gave out, and what is to be stored as a plain map. */
class Program {
  readonly #part = `part${runs++}`;
  readonly #context: TableContext;
  readonly #isExplicit: boolean;
  /** Removed ones, too: the program goes on editing them. */
  readonly #references: Item[] = [];
  readonly #wanted = new Map<string, Values>();
  #added = 0;
  #inHook: Action[] = [];
  #inValidator: Action[] = [];
  #inFlight: Action[] = [];

  constructor(isExplicit: boolean, { hasHook, hasValidator }: { hasHook: boolean; hasValidator: boolean }) {
    this.#isExplicit = isExplicit;
    const storage = withFaults(inner, ({ operations }) => {
      if (operations.length > 0) this.#perform(this.#inFlight.splice(0));
      return undefined;
    });
    this.#context = new TableContext(storage, {
      tracking: isExplicit ? "explicit" : "automatic",
      hooks: hasHook ? { saving: () => this.#perform(this.#inHook.splice(0)) } : undefined,
      validate: hasValidator
        ? () => {
            this.#perform(this.#inValidator.splice(0));
            return [];
          }
        : undefined,
    });
  }

  /** Some rows are read, the others added later. */
  async begin(count: number): Promise<void> {
    for (let i = 0; i < count; i++) this.#perform([{ type: "add", value: i + 1 }]);
    await this.#context.saveChanges();
    this.#context.clear();
    this.#references.length = 0;
    this.#references.push(...(await this.#context.query(Item).where({ part: this.#part }).toArray()));
  }

  #perform(actions: readonly Action[]): void {
    for (const action of actions) {
      if (action.type === "add") this.#add(action.value);
      else if (action.type === "remove") this.#remove(this.#at(action.at));
      else this.#edit(this.#at(action.at), action.name, action.value);
    }
  }

  #at(position: number): Item | undefined {
    return this.#references[position % this.#references.length];
  }

  #add(p: number): void {
    const id = String(this.#added++).padStart(4, "0");
    const item = this.#context.create(Item, { part: this.#part, id, p });
    this.#references.push(item);
    this.#wanted.set(id, { p });
  }

  #remove(item: Item | undefined): void {
    if (item === undefined || !this.#wanted.delete(item.id)) return;
    this.#context.remove(item);
  }

  #edit(item: Item | undefined, name: "p" | "q", value: number | undefined): void {
    if (item === undefined) return;
    item[name] = value;
    const wanted = this.#wanted.get(item.id);
    if (wanted === undefined) return;
    wanted[name] = value;
    if (this.#isExplicit) this.#context.update(item, name);
  }

  async run(command: Command): Promise<void> {
    if (command.type === "save") await this.#save(command);
    else if (command.type === "look") await this.#look();
    else this.#perform([command]);
  }

  async #save({ only, inHook, inValidator, inFlight }: Save): Promise<void> {
    const listed = only
      ?.map((position) => this.#at(position))
      .filter((item) => item !== undefined && this.#context.entry(item).state !== "detached") as
      | Item[]
      | undefined;
    this.#inHook = [...inHook];
    this.#inValidator = [...inValidator];
    this.#inFlight = [...inFlight];
    const isEditedInFlight = inFlight.length > 0;
    await this.#context.saveChanges(listed && { only: listed });
    [this.#inHook, this.#inValidator, this.#inFlight] = [[], [], []];

    if (isEditedInFlight) return;
    const stored = await this.#stored();
    if (listed === undefined) expect(stored).toEqual(this.#expected());
    else for (const { id } of listed) expect(stored[id]).toEqual(this.#expected()[id]);
  }

  /** Whatever is not stored as it is wanted is listed as pending. */
  async #look(): Promise<void> {
    const stored = await this.#stored();
    const expected = this.#expected();
    const ids = new Set([...Object.keys(stored), ...Object.keys(expected)]);
    const different = [...ids].filter((id) => JSON.stringify(stored[id]) !== JSON.stringify(expected[id]));
    const pending = this.#context.pendingChanges().map(({ entity }) => (entity as Item).id);

    expect(pending).toEqual(expect.arrayContaining(different));
  }

  async end(): Promise<void> {
    await this.#context.saveChanges();

    expect(await this.#stored()).toEqual(this.#expected());
    expect(this.#context.pendingChanges()).toEqual([]);
    await this.#context[Symbol.asyncDispose]();
  }

  #expected(): Record<string, Values> {
    return Object.fromEntries([...this.#wanted].map(([id, { p, q }]) => [id, { p, q }]));
  }

  async #stored(): Promise<Record<string, Values>> {
    const reader = new TableContext(inner);
    const items = await reader.query(Item).where({ part: this.#part }).mergeOption("noTracking").toArray();
    return Object.fromEntries(items.map(({ id, p, q }) => [id, { p, q }]));
  }
}

const commands = fc.array(command, { minLength: 1, maxLength: 25 });
const callbacks = fc.record({ hasHook: fc.boolean(), hasValidator: fc.boolean() });

test.prop([callbacks, fc.nat({ max: 6 }), fc.boolean(), commands], { numRuns: 400 })(
  "every edit through a reference that was kept is saved, whenever it was made",
  async (with_, count, isExplicit, history) => {
    const program = new Program(isExplicit, with_);
    await program.begin(count);
    for (const each of history) await program.run(each);
    await program.end();
  },
);
