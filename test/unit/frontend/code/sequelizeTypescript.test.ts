// Models of sequelize-typescript, which decorators declare.
import assert from "node:assert/strict";
import { it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const MODELS = `import { AllowNull, Column, DataType, Default, ForeignKey, Model, PrimaryKey, Table } from "sequelize-typescript";
@Table({ tableName: "owners", timestamps: false })
export class Owner extends Model {
  @PrimaryKey @Column(DataType.STRING(20)) code!: string;
}
@Table({ tableName: "accounts", timestamps: false })
export class Account extends Model {
  @Column({ type: DataType.INTEGER, allowNull: false }) balance!: number;
  @Default(true) @Column(DataType.BOOLEAN) open!: boolean;
  @AllowNull(false) @ForeignKey(() => Owner) @Column({ field: "owner_code" }) ownerCode!: string;
  inMemory = 3;
}
`;

it("reads what decorated models read and write", async () => {
  const text = `import { EmptyResultError } from "sequelize";
import { Sequelize } from "sequelize-typescript";
import { Account, Owner } from "./models";
const sequelize = new Sequelize({ dialect: "postgres", models: [Account, Owner] });
export async function withdraw(id: number, n: number) {
  await sequelize.transaction(async (transaction) => {
    const account = await Account.findByPk(id, { transaction, lock: true, rejectOnEmpty: true });
    if (account.balance < n) throw new EmptyResultError("too little");
    account.balance -= n;
    await account.save({ transaction });
  });
}
export async function open(code: string) {
  await Account.create({ balance: 0, ownerCode: code });
}
export async function close(code: string) {
  await Owner.destroy({ where: { code } });
}`;
  const read = await transactionsOf("", { "models.ts": MODELS, "a.ts": text });
  assert.deepEqual(
    read.flatMap(({ taint }) => taint),
    [],
  );
  assert.deepEqual(printed(read), [
    "withdraw explicit",
    "  r1 = select accounts.id as id, accounts.balance as balance, accounts.open as open, accounts.owner_code as owner_code from accounts where (accounts.id = :id) for update",
    "  if (size(r1) <= 0)",
    "    rollback",
    "  if (r1.balance < :n)",
    "    rollback",
    "  update accounts set balance = (r1.balance - :n) where (accounts.id = r1.id)",
    "open autocommit",
    "  insert accounts {balance = 0, owner_code = :code, open = true} returning r1: accounts.id as id, accounts.balance as balance, accounts.open as open, accounts.owner_code as owner_code",
    "close autocommit",
    "  delete owners where (owners.code = :code)",
  ]);
});
