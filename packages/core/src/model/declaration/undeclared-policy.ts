/** What a save does about values of an entity that its class does not store. */
export type UndeclaredPolicy = "error" | "ignore";

/** Every undeclared policy there is. */
export const undeclaredPolicies: readonly UndeclaredPolicy[] = ["error", "ignore"];
