/** How a save handles values of an entity that its class does not store. */
export type UndeclaredPolicy = "error" | "ignore";

/** All policies for undeclared values. */
export const undeclaredPolicies: readonly UndeclaredPolicy[] = ["error", "ignore"];
