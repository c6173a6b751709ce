import {
  createTables,
  dateTime,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";

export class Pair extends defineEntity({
  table: "Pairs",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { x: int32().optional(), exact: dateTime({ ticks: true }).optional() },
}) {}

class Place extends defineEntity({
  table: "Places",
  partitionKey: { country: text() },
  rowKey: {},
  properties: {},
}) {}

export class City extends defineKind(Place, {
  kind: { name: "City", key: "prefix" },
  rowKey: { name: text() },
  properties: { x: int32().default(0) },
}) {}

export class County extends defineKind(Place, {
  kind: { name: "County", key: "prefix" },
  rowKey: { name: text() },
  properties: { x: int32().optional() },
}) {}

class Loose extends defineEntity({
  table: "Loose",
  partitionKey: { country: text() },
  rowKey: { name: text() },
  properties: { x: int32() },
}) {}

export class Left extends defineKind(Loose, { kind: "Left" }) {}

export class Right extends defineKind(Loose, { kind: "Right" }) {}

export async function stored(
  ...entities: object[]
): Promise<{ storage: TableStorage; context: TableContext }> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Pair, Place, City, County, Loose, Left, Right]);
  const writer = new TableContext(storage);
  for (const entity of entities) writer.add(entity);
  await writer.saveChanges();
  return { storage, context: new TableContext(storage) };
}

export const codeOf = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
};
