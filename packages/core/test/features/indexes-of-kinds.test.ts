import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  text,
} from "../../src/index.ts";
import { constant, padded, verbatim } from "../../src/keys.ts";

class Entrant extends defineEntity({
  table: "Entrants",
  partitionKey: { race: text() },
  rowKey: { id: constant("ID:", padded(5)) },
  properties: { name: text() },
  indexes: { byName: { rowKey: { tag: constant("NAME:"), name: verbatim } } },
}) {}
class Team extends defineKind(Entrant, { kind: "Team", properties: { size: int32() } }) {}
class Athlete extends defineKind(Entrant, { kind: "Athlete", properties: { age: int32() } }) {}

test("an index of a base class is read by itself, whatever kinds are asked for", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Entrant, Team, Athlete]);
  const context = new TableContext(storage);
  context.create(Team, { race: "R", id: 1, name: "Swift", size: 3 });
  context.create(Athlete, { race: "R", id: 2, name: "Ann", age: 50 });
  await context.saveChanges();
  const entrants = new TableContext(storage).query(Entrant).where({ race: "R" }).via("byName");
  const teams = new TableContext(storage).query(Team).where({ race: "R" }).via("byName");

  expect(entrants.explain().toString()).toContain("RowKey ge 'NAME:_' and RowKey lt 'NAME:`'");
  expect(await entrants.toArray()).toEqual([
    new Athlete({ race: "R", id: 2, name: "Ann", age: 50 }),
    new Team({ race: "R", id: 1, name: "Swift", size: 3 }),
  ]);
  expect((await teams.toArray()).map(({ name }) => name)).toEqual(["Swift"]);
});
