import { Entity, ManyToOne, PrimaryKey, Property, Unique } from "@mikro-orm/core";

@Entity()
export class Shop {
  @PrimaryKey({ type: "int" }) id!: number;
  @Property({ type: "string" }) name!: string;
}

@Entity()
export class Invoice {
  @PrimaryKey({ type: "int" }) id!: number;
  @Property({ type: "int" }) shopId!: number;
  @Property({ type: "int" }) number!: number;
}

@Entity()
@Unique({ properties: ["shopId", "number"] })
export class Receipt {
  @PrimaryKey({ type: "int" }) id!: number;
  @Property({ type: "int" }) shopId!: number;
  @Property({ type: "int" }) number!: number;
}

@Entity()
export class Item {
  @PrimaryKey({ type: "int" }) id!: number;
  @Property({ type: "int" }) stock!: number;
}

@Entity()
export class Lot {
  @PrimaryKey({ type: "int" }) id!: number;
  @Property({ type: "int" }) stock!: number;
  @Property({ type: "int", version: true }) version!: number;
}

@Entity()
export class Account {
  @PrimaryKey({ type: "int" }) id!: number;
  @Property({ type: "int" }) balance!: number;
}

@Entity()
export class Member {
  @PrimaryKey({ type: "int" }) id!: number;
  @ManyToOne(() => Shop) shop!: Shop;
  @Property({ type: "string" }) role!: string;
}
