// The lists that tracked parents own, as known to one context. `compare-lists.ts` turns changes of a list into changes
// of its members; queries with `include` record the members here.

import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** A list that a tracked parent owns. */
export interface OwnedList {
  readonly parent: TrackedEntity;
  readonly property: string;
  /** The class of its members. */
  readonly child: EntityModel;
  /** The members that this context has put into the list, by `include`, by a save or by `createIn`. */
  readonly shown: Set<object>;
  /** Those members that will be removed because they are no longer in the list. */
  readonly takenOut: Set<object>;
  /** Those members that `createIn` made while there was no list, so the program does not see them in it. */
  readonly unseen: Set<object>;
  /** Whether the context knows all stored members. */
  isLoaded: boolean;
}

/** The value of the property that holds a list: an array, unless the program has assigned something else. */
export const valueOf = ({ parent, property }: OwnedList): unknown =>
  (parent.entity as Readonly<Record<string, unknown>>)[property];

/** The owned lists of one context. */
export class OwnedLists {
  readonly #byParent = new Map<TrackedEntity, Map<string, OwnedList>>();
  readonly #byMember = new Map<object, OwnedList>();

  /** Whether no list is known. */
  get isEmpty(): boolean {
    return this.#byParent.size === 0;
  }

  /** The list of a parent; created on first use. */
  of(parent: TrackedEntity, property: string, child: EntityModel): OwnedList {
    let lists = this.#byParent.get(parent);
    if (lists === undefined) this.#byParent.set(parent, (lists = new Map()));
    let list = lists.get(property);
    if (list === undefined) {
      const [shown, takenOut, unseen] = [new Set<object>(), new Set<object>(), new Set<object>()];
      list = { parent, property, child, shown, takenOut, unseen, isLoaded: false };
      lists.set(property, list);
    }
    return list;
  }

  /** The known lists of a parent. */
  ofParent(parent: TrackedEntity): readonly OwnedList[] {
    return [...(this.#byParent.get(parent)?.values() ?? [])];
  }

  /** The list that an entity is a member of. */
  ofMember(entity: object): OwnedList | undefined {
    return this.#byMember.get(entity);
  }

  /** Records that this context has put a member into a list. */
  show(list: OwnedList, member: object): void {
    list.shown.add(member);
    this.#byMember.set(member, list);
  }

  /** Records that an entity is not a member of a list any more. */
  hide(list: OwnedList, member: object): void {
    list.shown.delete(member);
    list.takenOut.delete(member);
    list.unseen.delete(member);
    if (this.#byMember.get(member) === list) this.#byMember.delete(member);
  }

  /** The row of a member is deleted, so the list does not show it any more. */
  takeOut(member: object): void {
    const list = this.#byMember.get(member);
    if (list === undefined) return;
    const members = valueOf(list);
    // An array that cannot be replaced still contains the member; record this, so it is not added again.
    if (!Array.isArray(members) || isWithout(list, members as object[], member)) this.hide(list, member);
  }

  /** The context does not track a parent any more; its members stay tracked. */
  forget(parent: TrackedEntity): void {
    for (const list of this.ofParent(parent)) for (const member of list.shown) this.hide(list, member);
    this.#byParent.delete(parent);
  }

  clear(): void {
    this.#byParent.clear();
    this.#byMember.clear();
  }
}

/** Takes all occurrences of a member out of an array. An unchangeable array is replaced if possible. */
function isWithout({ parent, property }: OwnedList, members: object[], member: object): boolean {
  if (Object.isSealed(members)) {
    const others = members.filter((each) => each !== member);
    return others.length === members.length || Reflect.set(parent.entity, property, others);
  }
  for (let at = members.indexOf(member); at >= 0; at = members.indexOf(member)) members.splice(at, 1);
  return true;
}
