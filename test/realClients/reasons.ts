// Steps in which a client sees something else on the mock database than on the server that it is compared with, and why that
// is so. A step that differs without a reason is a defect of the mock; one that has a reason and is the same is told, too.
import type { Product } from "./clients";

interface Reason {
  /** Names of clients. */
  readonly clients: RegExp;
  readonly product: Product;
  readonly step: RegExp;
  readonly why: string;
}

const NEXT_NUMBER = "the next number of AUTO_INCREMENT is no part of a table's text";
const TEXTS = "checks and views are shown in other words than PostgreSQL's own";
const NOTICES = "notices about what CASCADE takes with it are not sent";

/** Steps of psql. */
function psql(step: RegExp, why: string): Reason {
  return { clients: /^psql$/u, product: "postgres", step, why };
}

const REASONS: readonly Reason[] = [
  psql(
    /^\\l\+ nothing$/u,
    "psql 15 asks for a column that PostgreSQL 17 renamed; the mock is PostgreSQL 15",
  ),
  psql(/^\\(d\+? parent|sv shown)$/u, TEXTS),
  psql(/^(schemas|truncate)$/u, NOTICES),
  psql(/^alter$/u, "a key may be made of an index that another constraint has"),
  psql(/^partition$/u, "partitioned tables are not there"),
  psql(/^comment$/u, "comments are taken and forgotten"),
  {
    clients: /^asyncpg$/u,
    product: "postgres",
    step: /^composite$/u,
    why: "rows as values have no type of their own in binary form",
  },
  {
    clients: /^Django$/u,
    product: "postgres",
    step: /^introspect$/u,
    why: "PostgreSQL 18 lists NOT NULL among constraints; the mock is PostgreSQL 15",
  },
  {
    clients: /^mysql2$/u,
    product: "mysql",
    step: /^autocommit$/u,
    why: "MariaDB 10.11 shows @@autocommit as 0 behind an aggregate, whatever it is",
  },
  {
    clients: /^go-sql-driver\/mysql$/u,
    product: "mysql",
    step: /show create table$/u,
    why: NEXT_NUMBER,
  },
];

/** Why a step of a client differs; undefined where nobody knows. */
export function reasonFor(client: string, product: Product, step: string): string | undefined {
  return REASONS.find(
    (each) => each.product === product && each.clients.test(client) && each.step.test(step),
  )?.why;
}
