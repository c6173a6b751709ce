import type { DefinedEntity, EntityClass, Ticks } from "@partita/core";
import type { EntityDeclaration as Declaration } from "@partita/core/models";
import type { Copy } from "./copies.ts";

/** An entity with a property of every type. */
export interface Note {
  book: string;
  id: number;
  title: string;
  mail: string;
  pages: number;
  big: bigint;
  size: number;
  isOpen: boolean;
  at: Date;
  exact: Ticks;
  bytes: Uint8Array;
  tags: unknown;
  state: string;
  link: URL;
  later?: number;
}

/** A class of notes, typed by its run-time behaviour, because each form has its own types. */
export interface NoteClass extends EntityClass<Note> {
  new (): Note;
}

/** The parts of a copy that a declaration needs. */
type Parts = Pick<Copy, "core" | "keys" | "upgrades" | "decorators">;

/** One class in each form of declaration, all declared with this copy. */
export const classesOf = (copy: Parts): Readonly<Record<string, () => NoteClass>> => ({
  defineEntity: () => defined(copy),
  defineKind: () => kindOf(copy, baseOf(copy)),
  decorators: () => decorated(copy, copy.decorators),
});

export const valuesOf = ({ core }: Pick<Copy, "core">, n: number): Omit<Note, "book" | "id"> => ({
  title: `t${n}`,
  mail: `m${n}@example.org`,
  pages: n,
  big: 2n ** 60n + BigInt(n),
  size: n + 0.5,
  isOpen: n % 2 === 0,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, n)),
  exact: core.Ticks.parse(`2013-08-02T17:37:43.${9_004_340 + n}Z`),
  // Short and long values have different snapshots.
  bytes: new Uint8Array(n % 2 === 0 ? 40 : 4000).fill(n),
  tags: ["a", { n }],
  state: "new",
  link: new URL(`https://example.org/${n}`),
});

const propertiesOf = ({ core }: Parts) => ({
  title: core.text(),
  mail: core.text(),
  pages: core.int32(),
  big: core.int64(),
  size: core.double(),
  isOpen: core.bool(),
  at: core.dateTime(),
  exact: core.dateTime({ ticks: true }),
  bytes: core.binary(),
  tags: core.json(),
  state: core.enumOf(["new", "read"]),
  link: core.convert(linkConverter),
  later: core.int32().optional(),
});

const linkConverter = { toText: (url: URL) => url.href, fromText: (text: string) => new URL(text) };

const keysOf = ({ core, keys }: Parts) => ({
  partitionKey: { book: core.text() },
  rowKey: { id: keys.constant("N:", keys.padded(4)) },
});

const indexesOf = ({ keys }: Parts) => ({
  mail: { rowKey: { mail: keys.constant("MAIL:", keys.verbatim) }, unique: true },
});

function defined(copy: Parts): NoteClass {
  const declaration = {
    table: "Notes",
    ...keysOf(copy),
    properties: propertiesOf(copy),
    indexes: indexesOf(copy),
    outbox: true,
  };
  return class Note extends copy.core.defineEntity(declaration as Declaration) {} as unknown as NoteClass;
}

/** The base of the kinds, with the properties that the index needs. */
export function baseOf(copy: Parts): NoteClass {
  const { mail } = propertiesOf(copy);
  const declaration = {
    table: "Notes",
    ...keysOf(copy),
    properties: { mail },
    indexes: indexesOf(copy),
    outbox: true,
  };
  return class Paper extends copy.core.defineEntity(declaration as Declaration) {} as unknown as NoteClass;
}

/** A kind of a base, which may belong to another copy. */
export function kindOf(copy: Parts, base: NoteClass): NoteClass {
  const { mail: _ofBase, ...properties } = propertiesOf(copy);
  const declaration = { kind: "Note", properties };
  return class Note extends copy.core.defineKind(
    base as unknown as DefinedEntity<Declaration>,
    declaration as unknown as { kind: string },
  ) {} as unknown as NoteClass;
}

/** A decorated class. Its fields use one copy of the decorators, the class another one or the same. */
export function decorated(copy: Parts, ofClass: Copy["decorators"]): NoteClass {
  const { decorators, keys } = copy;
  class Note {
    declare title: string;
  }
  const fields: Readonly<Record<string, unknown>> = {
    book: decorators.PartitionKey(),
    id: decorators.RowKey(keys.constant("N:", keys.padded(4)) as never),
    title: decorators.Text(),
    mail: decorators.Text(),
    pages: decorators.Int32(),
    big: decorators.Int64(),
    size: decorators.Double(),
    isOpen: decorators.Bool(),
    at: decorators.DateTime(),
    exact: decorators.DateTime({ ticks: true }),
    bytes: decorators.Binary(),
    tags: decorators.Json(),
    state: decorators.Enum(["new", "read"]),
    link: decorators.Convert(linkConverter),
    later: decorators.Int32({ optional: true }),
  };
  for (const [name, decorate] of Object.entries(fields))
    (decorate as (prototype: object, name: string) => void)(Note.prototype, name);
  (decorators.Unique("MAIL:") as (prototype: object, name: string) => void)(Note.prototype, "mail");
  (ofClass.Table("Notes", { outbox: true }) as (target: object) => void)(Note);
  return Note as unknown as NoteClass;
}
