/**
 * How much laws and services do: few cases in `pnpm test`, more on the build server (`pnpm test --full`), and hours of
 * them in `pnpm test:torture`.
 */
const effort: keyof Amounts<unknown> =
  process.env["PARTITA_LONG"] !== undefined
    ? "long"
    : process.env["PARTITA_FULL"] !== undefined
      ? "full"
      : "short";

/** Whether this run takes hours. */
export const isLong: boolean = effort === "long";

/** Whether this run does what the build server does, or more. */
export const isFull: boolean = effort !== "short";

/** The amount in each kind of run: a number of cases, say. */
export interface Amounts<Amount> {
  readonly short: Amount;
  readonly full: Amount;
  readonly long: Amount;
}

/** The amount in this run. */
export const amountOf = <Amount>(amounts: Amounts<Amount>): Amount => amounts[effort];
