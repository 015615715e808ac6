import type { PoolClient } from "pg";

type Balance = { bal: number };

/** The two tables with a row for each customer. */
export class Accounts {
  constructor(
    private readonly client: PoolClient,
    private readonly table: "savings" | "checking",
  ) {}

  async balance(customer: number): Promise<number> {
    const { rows } = await this.client.query<Balance>(
      `SELECT bal FROM ${this.table} WHERE custid = $1`,
      [customer],
    );
    const [account] = rows;
    if (!account) throw new Error(`customer ${customer} has no ${this.table} account`);
    return account.bal;
  }

  async add(customer: number, amount: number): Promise<void> {
    await this.client.query(`UPDATE ${this.table} SET bal = bal + $2 WHERE custid = $1`, [
      customer,
      amount,
    ]);
  }

  async empty(customer: number): Promise<void> {
    await this.client.query(`UPDATE ${this.table} SET bal = 0 WHERE custid = $1`, [customer]);
  }
}

export const savingsOf = (client: PoolClient) => new Accounts(client, "savings");
export const checkingOf = (client: PoolClient) => new Accounts(client, "checking");
