import {
  createTables,
  type EntityValidator,
  openStorage,
  TableContext,
  type TableStorage,
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

/** The properties of the stored row, as an entity has them. */
export async function storedIn(storage: TableStorage): Promise<Partial<Member>> {
  const row = await new TableContext(storage).find(Member, key);
  const { tenant: _tenant, id: _id, ...rest } = { ...row };
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}

export const contextWith = (storage: TableStorage, validate: EntityValidator): TableContext =>
  new TableContext(storage, { validate });
