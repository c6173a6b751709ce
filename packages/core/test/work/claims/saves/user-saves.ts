import {
  ConflictError,
  createTables,
  openStorage,
  type SaveError,
  StorageError,
  TableContext,
  type TableStorage,
} from "../../../../src/index.ts";
import { forwardStorage } from "../../../../src/internal.ts";
import { isEntityRow } from "../../../../src/model/codec/row-layout.ts";
import { type Clock, fixed } from "../../../../src/rest.ts";
import type { StoredEntity, WriteOperation } from "../../../../src/storage.ts";
import { MovedUser, User } from "../../../features/unique-over-table/users.ts";
import type { Store } from "../../save/moves/explore.ts";
import type { Laws, Program, ProgramLog } from "./explore-saves.ts";

const still: Clock = { now: () => 1_700_000_000_000, wait: () => Promise.resolve() };

const contextOf = (storage: TableStorage, clock = still): TableContext =>
  new TableContext(storage, { clock, retry: fixed(2, 0) });

/**
 * One save, as it is written in a scenario: `create IS 1 a` gives the new user 1 of Iceland the address a, and
 * `pair IS 1 a b` also gives the address b to a new user in the same transaction.
 */
export type SaveText =
  `${"create" | "set" | "remove" | "upsert" | "any" | "move" | "drop" | "pair" | "swap"} ${string}`;

/** Runs saves one after another. */
export const saver =
  (name: string, ...saves: readonly SaveText[]): Program =>
  async (storage, log) => {
    for (const [n, text] of saves.entries()) await run(storage, log, `${name}${n} ${text}`);
  };

async function run(storage: TableStorage, log: ProgramLog, save: string): Promise<void> {
  const [id = "", type = "", country = "", user = "", email, second] = save.split(" ");
  const context = contextOf(storage, log.clock);
  log.begin(save);
  const key = { country, id: user };
  const values = { ...key, name: id, ...(email !== undefined && { email }) };
  try {
    switch (type) {
      case "create":
        context.create(User, values);
        break;
      case "pair":
        context.create(User, values);
        context.create(User, { country, id: `${user} too`, ...(second !== undefined && { email: second }) });
        break;
      case "swap": {
        const [one, other] = await context.findMany(User, [key, { country, id: `${user} too` }]);
        if (one === undefined || other === undefined) return log.end(save, "missing");
        [one.email, other.email, one.name] = [other.email, one.email, id];
        break;
      }
      case "upsert":
        context.upsert(new User(values), "replace");
        break;
      case "any":
        Object.assign(context.attach(new User(key), "*"), values);
        break;
      default: {
        const found = await context.find(type === "move" || type === "drop" ? MovedUser : User, key);
        if (found === undefined) return log.end(save, "missing");
        if (type === "remove" || type === "drop") context.remove(found);
        else {
          found.name = id;
          if (type === "move") break;
          if (email === undefined) delete found.email;
          else found.email = email;
        }
      }
    }
    await context.saveChanges();
    log.end(save, "saved");
  } catch (error) {
    log.end(save, resultOf(error));
  }
}

function resultOf(error: unknown): string {
  const [result] = (error as Partial<SaveError>).results ?? [];
  if (result === undefined) throw error;
  if (result.outcome === "unknown") return "unknown";
  if (ConflictError.is(result.error)) return result.error.reason;
  return StorageError.is(result.error) ? result.error.code : String(result.error);
}

const savesOf = (operations: readonly WriteOperation[]): string[] =>
  operations.flatMap((operation) => {
    if (operation.type === "delete" || !isEntityRow(operation.entity)) return [];
    // A move stores what another save wrote.
    if (operation.type === "replace" && operation.entity.PartitionKey.startsWith("C:")) return [];
    const name = operation.entity["name"];
    return typeof name === "string" ? [name] : [];
  });

/** The laws of values that are unique over the table. */
export function lawsOf(): Laws {
  /** How often each save was applied. */
  const applied = new Map<string, number>();
  const results = new Map<string, string>();
  /** The saves on their way, and whether another user held their address since they began. */
  const running = new Map<string, boolean>();

  const note = (store: Store): void => {
    for (const [save] of running) {
      const [, , country, user, ...emails] = save.split(" ");
      const isOther = ({ PartitionKey, RowKey }: StoredEntity, i: number): boolean =>
        PartitionKey.replace("C:", "") !== country || RowKey !== `ID:${user}${i === 0 ? "" : " too"}`;
      if (emails.some((email, i) => holdersOf(store, email).some((row) => isOther(row, i))))
        running.set(save, true);
    }
  };
  return {
    changed(store, operations) {
      for (const name of savesOf(operations)) {
        applied.set(name, (applied.get(name) ?? 0) + 1);
        const end = [...results].find(([save]) => save.startsWith(`${name} `));
        if (applied.get(name) === 2) throw new Error(`${name} is applied twice`);
        if (end !== undefined && end[1] !== "unknown" && end[1] !== "saved")
          throw new Error(`${name} is applied after it was refused as ${end[1]}`);
      }
      for (const email of new Set(usersOf(store).map((row) => row["email"])))
        if (typeof email === "string" && holdersOf(store, email).length > 1)
          throw new Error(`two users have the address ${email}`);
      note(store);
    },
    began(save, store) {
      running.set(save, false);
      note(store);
    },
    ended(save, result) {
      const [name = "", type] = save.split(" ");
      const wasHeld = running.get(save) === true;
      running.delete(save);
      results.set(save, result);
      const isApplied = applied.has(name);
      if (result === "saved" && type !== "remove" && type !== "drop" && !isApplied)
        throw new Error(`${save} was not stored`);
      if (result !== "saved" && result !== "unknown" && isApplied)
        throw new Error(`${save} was refused as ${result}, but stored`);
      if (result === "unique" && !wasHeld) throw new Error(`${save} was refused, but the address was free`);
    },
    /** A newcomer gets every address that is free, and is refused every other one. */
    async atEnd(storage) {
      const emails = ["a", "b"];
      for (const email of emails) {
        const context = contextOf(storage);
        const user = context.create(User, { country: "ZZ", id: `new ${email}`, email });
        const users = ["IS", "NO", "FR"].flatMap((country) =>
          ["1", "2", "1 too", "2 too"].map((id) => ({ country, id })),
        );
        const found = await Promise.all(users.map((key) => contextOf(storage).find(MovedUser, key)));
        const isHeld = found.some((each) => each?.email === email);
        const result = await context.saveChanges().then(() => "saved", resultOf);
        if (result !== (isHeld ? "unique" : "saved"))
          throw new Error(`a newcomer wants ${email}, which is ${isHeld ? "held" : "free"}: ${result}`);
        if (result === "saved") {
          context.remove(user);
          await context.saveChanges();
        }
      }
    },
    print: () => [applied, results, running].map((map) => [...map].map(String).toSorted().join()).join(";"),
  };
}

const usersOf = (store: Store): StoredEntity[] => [...store.rows.values()].filter(isEntityRow);
const holdersOf = (store: Store, email: string): StoredEntity[] =>
  usersOf(store).filter((row) => row["email"] === email);

/** The transactions that stored a user before the scenario begins. */
export async function storedBefore(
  ...saves: readonly SaveText[]
): Promise<readonly (readonly WriteOperation[])[]> {
  const sent: (readonly WriteOperation[])[] = [];
  const storage = await recorder(sent);
  for (const [n, save] of saves.entries())
    await run(storage, { clock: still, begin: () => undefined, end: () => undefined }, `before${n} ${save}`);
  return sent;
}

async function recorder(sent: (readonly WriteOperation[])[]): Promise<TableStorage> {
  const inner = await openStorage("memory:");
  await createTables(inner, [User]);
  const note = (operations: readonly WriteOperation[]): void => void sent.push(structuredClone(operations));
  return forwardStorage(inner, {
    write: (table, operation, options) => (note([operation]), inner.write(table, operation, options)),
    transact: (table, operations, options) => (note(operations), inner.transact(table, operations, options)),
  });
}
