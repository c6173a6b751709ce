import { expect, test } from "vitest";
import { defineEntity, openStorage, TableContext, text } from "../../../src/index.ts";
import { modelOf } from "../../../src/model/declaration/model-registry.ts";
import { IdentityMap } from "../../../src/work/unit-of-work/identity-map.ts";
import { TrackedEntity } from "../../../src/work/unit-of-work/tracked-entity.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { title: text().optional() },
}) {}

const entryOf = (id: string, entity: object = new Note({ book: "b", id })) =>
  new TrackedEntity(modelOf(Note), entity, { partitionKey: "b", rowKey: id }, {});
const idsIn = (map: IdentityMap): string =>
  map
    .values()
    .map(({ key }) => key.rowKey)
    .join("");

test("lists entries in the order they came, however it is asked between changes", () => {
  const makeSteps = (): readonly ((map: IdentityMap) => void)[] => {
    const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((id) => entryOf(id));
    return [
      (map) => map.add(a!),
      (map) => map.add(b!),
      (map) => map.add(c!),
      (map) => map.moveToEnd(a!),
      (map) => map.add(d!),
      (map) => map.delete(c!),
      (map) => map.add(e!),
      (map) => map.add(c!),
      (map) => map.delete(c!),
    ];
  };

  const [looked, unlooked] = [new IdentityMap(), new IdentityMap()];
  for (const step of makeSteps()) step(unlooked);
  const seen = makeSteps().map((step) => {
    step(looked);
    return idsIn(looked);
  });
  expect(seen).toEqual(["a", "ab", "abc", "bca", "bcad", "bad", "bade", "badec", "bade"]);
  expect(idsIn(unlooked)).toBe("bade");
  looked.clear();
  expect(idsIn(looked)).toBe("");
});

test("looking between adds makes no new list", () => {
  const map = new IdentityMap();
  const list = map.values();
  for (const id of ["a", "b", "c"]) {
    map.add(entryOf(id));
    expect(map.values()).toBe(list);
  }
  expect(list).toHaveLength(3);
});

test("an entity under a new key keeps its place in the list", () => {
  const map = new IdentityMap();
  const moved = new Note({ book: "b", id: "a" });
  map.add(entryOf("a", moved));
  map.add(entryOf("b"));
  map.values();
  map.add(entryOf("z", moved));

  expect(idsIn(map)).toBe("zb");
});

test("an accessor that attaches others while changes are searched for does not keep the search going", async () => {
  const context = new TableContext(await openStorage("memory:"));
  let isAttaching = false;
  const attach = (): void => {
    isAttaching = true;
    const note = new Note({ book: "b", id: `n${context.size}` });
    Object.defineProperty(note, "title", { get: read, set() {}, enumerable: true, configurable: true });
    context.attach(note, "*");
    isAttaching = false;
  };
  const read = (): string => {
    if (!isAttaching) attach();
    return "same";
  };
  attach();

  expect(context.pendingChanges()).toEqual([]);
  expect(context.size).toBe(2);
  expect(context.pendingChanges()).toEqual([]);
  expect(context.size).toBe(4);
});
