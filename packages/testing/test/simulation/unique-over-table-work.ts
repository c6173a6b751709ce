import { defineEntity, int32, text } from "@partita/core";
import { constant, verbatim } from "@partita/core/keys";
import { type NamedCheck, outcomes } from "../../src/index.ts";
import type { Workload } from "./workload.ts";

/** Users of several partitions who want few addresses, each of which belongs to one of them at most. */
export function uniqueOverTable(): Workload {
  const declared = {
    table: "Users",
    rowKey: { id: constant("ID:", text()) },
    properties: { mail: text().optional(), phone: text().optional(), visits: int32().default(0) },
    indexes: {
      mail: { rowKey: { mail: constant("MAIL:", verbatim) }, unique: true, over: "table" },
      phone: { rowKey: { phone: constant("TEL:", verbatim) }, unique: true, over: "table" },
    },
  } as const;
  class User extends defineEntity({ ...declared, partitionKey: { country: text() } }) {}
  const countries = ["FR", "IS", "NO"];
  const values = ["a", "b", "c"];
  const isUnique: NamedCheck = {
    name: "unique values",
    begin: ({ openContext }) => ({
      async afterWrite() {
        const users = await openContext().query(User).scan().toArray();
        for (const name of ["mail", "phone"] as const) {
          const held = users.flatMap((user) => user[name] ?? []);
          if (new Set(held).size < held.length) return `two users have one ${name}: ${held.join(", ")}`;
        }
        return true;
      },
      async atEnd() {
        const users = await openContext().query(User).scan().toArray();
        for (const value of values) {
          const isHeld = users.some(({ mail }) => mail === value);
          const context = openContext();
          context.create(User, { country: "ZZ", id: value, mail: value });
          const isSaved = await context.saveChanges().then(
            () => true,
            () => false,
          );
          if (isSaved === isHeld) return `a newcomer ${isSaved ? "gets" : "does not get"} the mail ${value}`;
        }
        return true;
      },
    }),
  };
  return {
    name: "unique over the table",
    scenario: {
      classes: [User],
      setup(context) {
        for (const [i, country] of countries.entries())
          context.add(new User({ country, id: "1", mail: values[i] as string }));
      },
      actors: {
        async clerk({ context, random, number, step }) {
          const key = { country: random.oneOf(countries), id: random.oneOf(["1", "2"]) };
          const mail = random.oneOf(values);
          const phone = random.oneOf(values);
          await random.oneOf<() => unknown>([
            () => context.modify(User, key, (user) => void Object.assign(user, { mail, phone })),
            () => context.modify(User, key, (user) => void delete user.mail),
            () => context.modify(User, key, (user) => void user.visits++),
            () => context.upsert(new User({ ...key, mail }), random.oneOf(["merge", "replace"] as const)),
            () => context.removeByKey(User, key, "*"),
            // Two users of one transaction.
            () => {
              context.add(new User({ ...key, id: `${number}.${step}`, mail }));
              context.add(new User({ ...key, id: `${number}.${step} too`, phone }));
            },
          ])();
          await context.saveChanges({
            removeMissing: random.oneOf(["conflict", "ignore", "error"] as const),
          });
        },
      },
    },
    checks: [outcomes(), isUnique],
  };
}
