import { defineEntity, text } from "@partita/core";
import { constant } from "@partita/core/keys";

// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is the declaration itself
const user = (index: "none" | "used" | "retired") =>
  class User extends defineEntity({
    table: "Users",
    partitionKey: { country: text() },
    rowKey: { id: constant("ID:", text()) },
    properties: { email: text().optional() },
    indexes:
      index === "none"
        ? {}
        : {
            email: {
              rowKey: { email: constant("MAIL:", text()) },
              unique: true,
              over: "table",
              ...(index === "retired" && { state: "retired" }),
            },
          },
  }) {};

/** The class of an older release. */
export class OldUser extends user("none") {}
export class User extends user("used") {}
export class RetiredUser extends user("retired") {}
