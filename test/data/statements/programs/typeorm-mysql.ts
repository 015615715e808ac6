import "reflect-metadata";
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from "typeorm";

@Entity("accounts")
export class Account {
  @PrimaryGeneratedColumn() id!: number;
  @Column("varchar", { unique: true, length: 100 }) owner!: string;
  @Column("int", { default: 0 }) balance!: number;
  @Column("text", { nullable: true }) note!: string | null;
  @Column("int", { default: 1 }) version!: number;
}

const source = new DataSource({ type: "mariadb", host: "localhost", username: "root", database: "shop", entities: [Account] });

export async function connect() {
  await source.initialize();
}

// run "dee"
export async function open(owner: string) {
  const account = await source.getRepository(Account).save({ owner });
  return account.id;
}

// run 1, 4
export async function take(id: number, amount: number) {
  await source.transaction(async (manager) => {
    const account = await manager.findOneOrFail(Account, { where: { id }, lock: { mode: "pessimistic_read" } });
    account.balance -= amount;
    await manager.save(account);
  });
}

// run "ann", 4
// run "eve", 4
export async function upserted(owner: string, balance: number) {
  await source.getRepository(Account).upsert({ owner, balance }, ["owner"]);
}
