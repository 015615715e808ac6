import {
  Column,
  DataSource,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  Unique,
  VersionColumn,
} from "typeorm";

@Entity()
export class Customer {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ default: 0 })
  lastReceipt: number;

  @OneToMany(() => Invoice, (invoice) => invoice.customer)
  invoices: Invoice[];
}

@Entity("invoices")
export class Invoice {
  @PrimaryGeneratedColumn()
  id: number;

  @ManyToOne(() => Customer, (customer) => customer.invoices, { nullable: false })
  @JoinColumn({ name: "customer_id" })
  customer: Customer;

  @Column()
  number: number;
}

@Entity("receipts")
@Unique(["customer", "number"])
export class Receipt {
  @PrimaryGeneratedColumn()
  id: number;

  @ManyToOne(() => Customer, { nullable: false })
  customer: Customer;

  @Column()
  number: number;
}

@Entity("workspaces")
export class Workspace {
  @PrimaryGeneratedColumn()
  id: number;

  @Column()
  seats: number;
}

@Entity("members")
export class Member {
  @PrimaryGeneratedColumn()
  id: number;

  @ManyToOne(() => Workspace, { nullable: false })
  @JoinColumn({ name: "workspace_id" })
  workspace: Workspace;

  @Column({ name: "workspace_id" })
  workspaceId: number;

  @Column()
  email: string;

  @Column()
  role: string;
}

@Entity("items")
export class Item {
  @PrimaryGeneratedColumn()
  id: number;

  @Column()
  name: string;

  @Column({ type: "int" })
  stock: number;

  @VersionColumn()
  version: number;
}

export const dataSource = new DataSource({
  type: "postgres",
  url: process.env.DATABASE_URL,
  entities: [Customer, Invoice, Receipt, Workspace, Member, Item],
});
