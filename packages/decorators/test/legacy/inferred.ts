import "reflect-metadata";
import { bool, defineEntity, text } from "@partita/core";
import { Property, Table } from "@partita/decorators";
import { type Ability, key, Keys, keys } from "../fixtures/abilities/ability.ts";

/** What only legacy decorators can declare. */
export const inferred: Ability = {
  name: "Type inferred from TypeScript's",
  plain: () => defineEntity({ table: "Blogs", ...keys, properties: { text: text(), isOpen: bool() } }),
  decorated() {
    @Table("Blogs")
    class Blog extends Keys {
      @Property() text!: string;
      @Property() isOpen!: boolean;
    }
    return Blog;
  },
  values: { ...key, text: "Hello", isOpen: true },
};
