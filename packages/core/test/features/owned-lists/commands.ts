import { fc } from "@fast-check/vitest";
import type { TrackingOption } from "./model.ts";

/** What happens to the request of a transaction: it never leaves (no connection, or one that broke), or it is stored while its response is lost. */
export type ListFault = "refused" | "unsent" | "reset-after";

/** A step of a history: of the program with its context, or of another writer. `at` chooses among what there is. */
export type Command =
  | {
      readonly type: "addLineElsewhere" | "editElsewhere";
      readonly order: string;
      readonly no: number;
      readonly value: number;
    }
  | { readonly type: "addOrderElsewhere"; readonly order: string; readonly value: number }
  | { readonly type: "removeLineElsewhere"; readonly order: string; readonly no: number }
  | { readonly type: "include"; readonly order: string; readonly option: TrackingOption }
  | {
      readonly type: "create";
      readonly order: string;
      readonly nos: readonly number[];
      readonly value: number;
    }
  | {
      readonly type: "createIn" | "replaceAll";
      readonly order: string;
      readonly no: number;
      readonly value: number;
    }
  | {
      readonly type: "push";
      readonly order: string;
      readonly no: number;
      readonly value: number;
      readonly isTwice: boolean;
      readonly isMutated: boolean;
    }
  | {
      readonly type: "takeOut" | "putBack" | "repeat";
      readonly order: string;
      readonly at: number;
      readonly isMutated: boolean;
    }
  | { readonly type: "reverse" | "empty"; readonly order: string; readonly isMutated: boolean }
  | { readonly type: "setLine"; readonly order: string; readonly at: number; readonly value: number }
  | { readonly type: "setOrder"; readonly order: string; readonly value: number }
  | { readonly type: "removeLine" | "detachLine"; readonly order: string; readonly at: number }
  | {
      readonly type: "reloadLine";
      readonly order: string;
      readonly at: number;
      readonly keepsEdits: boolean;
    }
  | { readonly type: "reloadOrder"; readonly order: string; readonly keepsEdits: boolean }
  | {
      readonly type:
        | "removeOrderElsewhere"
        | "pushForeign"
        | "pushMany"
        | "forget"
        | "removeOrder"
        | "detachOrder"
        | "touch"
        | "discard";
      readonly order: string;
    }
  | { readonly type: "find"; readonly order: string }
  | { readonly type: "clear" }
  | {
      readonly type: "save";
      readonly faults: readonly (ListFault | undefined)[];
      readonly isAtomic: boolean;
    };

const order = fc.constantFrom("1", "1", "1", "2");
const no = fc.integer({ min: 1, max: 4 });
const value = fc.integer({ min: 1, max: 3 });
const at = fc.nat({ max: 7 });
const isMutated = fc.boolean();
const keepsEdits = fc.boolean();
const option = fc.constantFrom<TrackingOption>("appendOnly", "preserveChanges", "overwriteChanges");
const faults = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.constantFrom<ListFault | undefined>(undefined, "refused", "unsent", "reset-after"),
      {
        maxLength: 3,
      },
    ),
  },
);

const type = <const Types extends readonly string[]>(...types: Types): fc.Arbitrary<Types[number]> =>
  fc.constantFrom(...types);

const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>): fc.WeightedArbitrary<Command> => ({
  weight,
  arbitrary,
});

export const command: fc.Arbitrary<Command> = fc.oneof(
  weighted(3, fc.record({ type: type("addLineElsewhere", "editElsewhere"), order, no, value })),
  weighted(1, fc.record({ type: type("addOrderElsewhere"), order, value })),
  weighted(1, fc.record({ type: type("removeLineElsewhere"), order, no })),
  weighted(8, fc.record({ type: type("include"), order, option })),
  weighted(
    1,
    fc.record({
      type: type("create"),
      order,
      nos: fc.uniqueArray(no, { minLength: 1, maxLength: 3 }),
      value,
    }),
  ),
  weighted(3, fc.record({ type: type("createIn", "replaceAll"), order, no, value })),
  weighted(4, fc.record({ type: type("push"), order, no, value, isTwice: fc.boolean(), isMutated })),
  weighted(6, fc.record({ type: type("takeOut", "takeOut", "putBack", "repeat"), order, at, isMutated })),
  weighted(1, fc.record({ type: type("reverse", "empty"), order, isMutated })),
  weighted(3, fc.record({ type: type("setLine"), order, at, value })),
  weighted(1, fc.record({ type: type("setOrder"), order, value })),
  weighted(2, fc.record({ type: type("removeLine", "detachLine"), order, at })),
  weighted(1, fc.record({ type: type("reloadLine"), order, at, keepsEdits })),
  weighted(1, fc.record({ type: type("reloadOrder"), order, keepsEdits })),
  weighted(
    4,
    fc.record({
      type: type(
        "removeOrderElsewhere",
        "pushForeign",
        "forget",
        "removeOrder",
        "detachOrder",
        "touch",
        "discard",
      ),
      order,
    }),
  ),
  weighted(1, fc.record({ type: type("find"), order })),
  weighted(1, fc.record({ type: type("clear") })),
  weighted(8, fc.record({ type: type("save"), faults, isAtomic: fc.boolean() })),
);

/** The same with families that do not fit one transaction. */
export const commandOfLargeFamilies: fc.Arbitrary<Command> = fc.oneof(
  weighted(20, command),
  weighted(1, fc.record({ type: type("pushMany"), order })),
);

/** What other writers have stored when a history begins. */
export const initialRows = { "1": 1, "1!1": 1, "1!2": 2, "2": 1, "2!1": 1 } as const;
