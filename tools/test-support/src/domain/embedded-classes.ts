import { defineEntity, int32, text } from "@partita/core";
import { constant, escaped, verbatim } from "@partita/core/keys";
import { createdAt, embedded, updatedAt } from "@partita/core/models";

/** Number of calls of a default function inside an embedded object. A case sets it to 0. */
export const calls = { count: 0 };

class Position {
  x?: number;
  y?: number;
}

class Address {
  street!: string;
  city?: string | undefined;
  position?: Position | undefined;

  label(): string {
    return [this.street, this.city].filter((part) => part !== undefined).join(", ");
  }
}

class Settings {
  theme?: string | undefined;
  size?: number | undefined;
}

/** Its constructor needs an argument, and its instances are immutable. */
class Money {
  readonly amount: string;
  readonly currency: string;

  constructor({ amount, currency }: { readonly amount: string; readonly currency: string }) {
    this.amount = amount;
    this.currency = currency;
    Object.freeze(this);
  }
}

const keys = { partitionKey: { tenant: escaped }, rowKey: { id: escaped } } as const;
const position = embedded(Position, { x: int32().optional(), y: int32().optional() });
const address = embedded(Address, { street: text(), city: text().optional(), position: position.optional() });

class Client extends defineEntity({
  table: "Clients",
  ...keys,
  properties: {
    name: text(),
    address: address.optional(),
    settings: embedded(Settings, { theme: text().optional(), size: int32().optional() }).optional(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: { byCity: { rowKey: { "address.city": constant("CITY:", verbatim) } } },
}) {}

class Price extends defineEntity({
  table: "Prices",
  ...keys,
  properties: {
    money: embedded(
      Money,
      { amount: text(), currency: text().default(() => `C${++calls.count}`) },
      { create: (values) => new Money(values) },
    ),
    discount: embedded(
      Money,
      { amount: text().optional() },
      { create: (values) => new Money(values as Money) },
    )
      .optional()
      .named("rebate"),
  },
}) {}

class Unbuilt extends defineEntity({
  table: "Prices",
  ...keys,
  properties: { money: embedded(Money, { amount: text(), currency: text() }) },
}) {}

class Twice extends defineEntity({
  table: "Prices",
  ...keys,
  properties: { address, address_city: text() },
}) {}

/** The classes of the cases of embedded objects, in one of the three forms. */
export interface EmbeddedClasses {
  readonly Client: typeof Client;
  readonly Price: typeof Price;
  readonly Unbuilt: typeof Unbuilt;
  readonly Twice: typeof Twice;
  readonly Address: typeof Address;
  readonly Settings: typeof Settings;
  readonly Money: typeof Money;
}

/** The form of `defineEntity`. */
export const definedEmbedded: EmbeddedClasses = { Client, Price, Unbuilt, Twice, Address, Settings, Money };

/** The classes with tables. */
export const embeddedTables = ({ Client: client, Price: price }: EmbeddedClasses) => [client, price] as const;
