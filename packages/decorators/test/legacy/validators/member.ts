import {
  createTables,
  type EntityValidator,
  openStorage,
  TableContext,
  type TableStorage,
  toPlain,
} from "@partita/core";
import { Double, Json, PartitionKey, RowKey, Table, Text } from "@partita/decorators";
import { Allow, IsOptional, Length, Max, Min, ValidateNested } from "class-validator";

export class Address {
  @Length(2, 20) city = "";
}

/** What all libraries judge by the same rules. */
@Table("Members")
export class Member {
  @PartitionKey() @Allow() tenant!: string;
  @RowKey() @Allow() id!: string;
  @Text() @Length(2, 20) name!: string;
  @Double() @Min(0) @Max(120) age!: number;
  @Text({ optional: true }) @IsOptional() @Length(2, 20) note?: string;
  @Json<Address>({ optional: true }) @IsOptional() @ValidateNested() address?: Address;
  @Text({ optional: true }) @IsOptional() nickname?: string;
  /** No rule names it. */
  @Text({ optional: true }) internal?: string;
}

export const key = { tenant: "t", id: "1" } as const;

/** What every test begins with: values that transforms change, no nickname, and one value that no rule names. */
export const stored = {
  name: " Ann ",
  age: 40,
  note: "old",
  address: { city: " Oslo " },
  internal: "secret",
} as const;

export const newMember = (): Member =>
  Object.assign(new Member(), key, stored, { address: Object.assign(new Address(), stored.address) });

export async function seededStorage(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Member]);
  const context = new TableContext(storage);
  context.add(newMember());
  await context.saveChanges();
  return storage;
}

/** The properties of an entity that have a value, as plain data and without its key. */
export function valuesOf(member: Member): object {
  const { tenant: _tenant, id: _id, ...rest } = toPlain(member);
  return rest;
}

/** The same of the stored row. */
export const storedIn = async (storage: TableStorage): Promise<object> =>
  valuesOf((await new TableContext(storage).find(Member, key)) ?? new Member());

export const contextWith = (storage: TableStorage, validate: EntityValidator): TableContext =>
  new TableContext(storage, { validate });
