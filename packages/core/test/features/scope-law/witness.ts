import { secret } from "./world.ts";

/** Looks at everything that a context gives out, and remembers whatever is of beta. */
export class Witness {
  readonly leaks: string[] = [];
  /** Entities that the program itself has given the other tenant. */
  readonly named = new WeakSet<object>();
  /** How many entities were given out at all. */
  entities = 0;

  /** @param where - the call that gave it */
  see(where: string, value: unknown, depth = 0): void {
    if (typeof value === "string" && value.includes(secret))
      this.leaks.push(`${where} gave a value: ${value}`);
    if (typeof value !== "object" || value === null || depth > 6) return;
    if (depth === 0 && "id" in value) this.entities++;
    if (value instanceof Error) this.see(where, `${value.name} ${value.message}`);
    if ("tenant" in value && value.tenant === "beta" && !this.named.has(value))
      this.leaks.push(`${where} gave an entity of beta`);
    for (const each of Object.values(value)) this.see(where, each, depth + 1);
  }
}
