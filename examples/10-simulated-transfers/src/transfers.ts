import { defineEntity, int32, type TableContext, text } from "@partita/core";

export class Account extends defineEntity({
  table: "Accounts",
  partitionKey: { bank: text() },
  rowKey: { owner: text() },
  properties: { balance: int32() },
}) {}

export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly amount: number;
}

const bank = "bank";

async function accounts(context: TableContext, { from, to }: Transfer): Promise<[Account, Account]> {
  const [payer, payee] = await context.findMany(Account, [
    { bank, owner: from },
    { bank, owner: to },
  ]);
  if (payer === undefined || payee === undefined) throw new Error("There is no such account.");
  return [payer, payee];
}

/** Wrong: between the two saves the money is in no account, and a process that ends there loses it. */
export async function transferInTwoSaves(context: TableContext, transfer: Transfer): Promise<void> {
  const [payer, payee] = await accounts(context, transfer);
  payer.balance -= transfer.amount;
  await context.saveChanges();
  payee.balance += transfer.amount;
  await context.saveChanges();
}

/** Wrong: an upsert has no version condition, so it overwrites changes made since the accounts were read. */
export async function transferByUpsert(context: TableContext, transfer: Transfer): Promise<void> {
  const [payer, payee] = await accounts(context, transfer);
  const [less, more] = [payer.balance - transfer.amount, payee.balance + transfer.amount];
  context.clear();
  context.upsert(new Account({ bank, owner: transfer.from, balance: less }), "replace");
  context.upsert(new Account({ bank, owner: transfer.to, balance: more }), "replace");
  await context.saveChanges({ batch: "atomic" });
}

/** Right: both accounts are in one transaction, each under the version that was read. */
export async function transferInOneTransaction(context: TableContext, transfer: Transfer): Promise<void> {
  const [payer, payee] = await accounts(context, transfer);
  payer.balance -= transfer.amount;
  payee.balance += transfer.amount;
  await context.saveChanges({ batch: "atomic" });
}
