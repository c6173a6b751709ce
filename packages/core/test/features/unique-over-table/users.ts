import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type SaveError,
  TableContext,
  type TableError,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { constant } from "../../../src/keys.ts";

/** Users of several countries, one partition each. No two of them have the same e-mail address. */
export class User extends defineEntity({
  table: "Users",
  partitionKey: { country: text() },
  rowKey: { id: constant("ID:", text()) },
  properties: { name: text().optional(), age: int32().optional(), email: text().optional() },
  indexes: {
    email: { rowKey: { email: constant("MAIL:", text()) }, unique: true, over: "table" },
  },
}) {}

/** The same users after their PartitionKeys got a prefix. */
export class MovedUser extends defineEntity({
  table: "Users",
  partitionKey: { country: constant("C:", text()) },
  rowKey: { id: constant("ID:", text()) },
  properties: { name: text().optional(), age: int32().optional(), email: text().optional() },
  indexes: {
    email: { rowKey: { email: constant("MAIL:", text()) }, unique: true, over: "table" },
  },
  formerKeys: User,
}) {}

export async function usersIn(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [User]);
  return storage;
}

/** Saves a new user. */
export async function signUp(
  storage: TableStorage,
  country: string,
  id: string,
  email?: string,
): Promise<void> {
  const context = new TableContext(storage);
  context.create(User, { country, id, ...(email !== undefined && { email }) });
  await context.saveChanges();
}

/** Reads a user, changes it and saves it. */
export async function change(
  storage: TableStorage,
  country: string,
  id: string,
  edit: (user: User, context: TableContext) => void,
): Promise<void> {
  const context = new TableContext(storage);
  const user = await context.find(User, { country, id });
  if (user === undefined) throw new Error(`There is no user ${id}.`);
  edit(user, context);
  await context.saveChanges();
}

/** The code of the error that a save reports for its first entity; "saved" if there is none. */
export const codeOf = (save: Promise<unknown>): Promise<unknown> =>
  save.then(
    () => "saved",
    (error: unknown) => ((error as SaveError).results[0]?.error as TableError | undefined)?.code,
  );

/** The reservations of a table: the holders of each value. */
export async function reservations(storage: TableStorage): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const { entities } = await storage.query("Users", {});
  for (const { RowKey, _row, Holders } of entities)
    if (String(_row).startsWith("reservation:")) found[RowKey] = String(Holders);
  return found;
}
