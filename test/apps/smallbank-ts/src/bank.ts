// SmallBank: balances are changed in place, guards are checked on what was read before.
import { checkingOf, savingsOf } from "./accounts";
import { withTransaction } from "./database";

export class InsufficientFunds extends Error {}

export async function balance(customer: number): Promise<number> {
  return withTransaction(async (client) => {
    const savings = await savingsOf(client).balance(customer);
    const checking = await checkingOf(client).balance(customer);
    return savings + checking;
  });
}

export async function depositChecking(customer: number, amount: number): Promise<void> {
  await withTransaction((client) => checkingOf(client).add(customer, amount));
}

export async function transactSavings(customer: number, amount: number): Promise<void> {
  await withTransaction(async (client) => {
    const savings = savingsOf(client);
    if ((await savings.balance(customer)) < amount) throw new InsufficientFunds();
    await savings.add(customer, -amount);
  });
}

/** All money of `from` goes to `to`. */
export async function amalgamate(from: number, to: number): Promise<void> {
  if (from === to) throw new RangeError("one customer twice");
  await withTransaction(async (client) => {
    const savings = savingsOf(client);
    const checking = checkingOf(client);
    const total = (await savings.balance(from)) + (await checking.balance(to));
    await checking.empty(from);
    await savings.add(to, -total);
  });
}

export async function writeCheck(customer: number, amount: number): Promise<void> {
  await withTransaction(async (client) => {
    const checking = checkingOf(client);
    const total = (await savingsOf(client).balance(customer)) + (await checking.balance(customer));
    const penalty = total < amount ? 1 : 0;
    await checking.add(customer, -(amount + penalty));
  });
}

export async function sendPayment(from: number, to: number, amount: number): Promise<void> {
  if (from === to) throw new RangeError("one customer twice");
  await withTransaction(async (client) => {
    const checking = checkingOf(client);
    if ((await checking.balance(from)) < amount) throw new InsufficientFunds();
    await checking.add(from, -amount);
    await checking.add(to, amount);
  });
}
