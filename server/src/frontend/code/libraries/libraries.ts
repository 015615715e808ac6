// The libraries that are known, in the order in which they are asked.
import { AT_DATABASES } from "./atDatabases";
import { DRIZZLE } from "./builders/drizzle";
import { KNEX } from "./builders/knex";
import { KYSELY } from "./builders/kysely";
import { OBJECTION } from "./builders/objection";
import { BENCHBASE } from "./java/benchbase";
import { JDBC } from "./java/jdbc";
import { JPA } from "./java/jpa/jpa";
import { readMapperFiles } from "./java/mybatis/mapperFiles";
import { mybatis, MYBATIS } from "./java/mybatis/mybatis";
import { SPRING } from "./java/spring";
import type { Library } from "./library";
import { MASSIVE } from "./massive";
import { MIKRO_ORM } from "./mikroorm/mikroorm";
import { MSSQL } from "./mssql";
import { MYSQL2 } from "./mysql2";
import { NESTJS_CLS } from "./nestjsCls";
import { PG } from "./pg";
import { PG_PROMISE } from "./pgPromise";
import { POSTGRES_JS } from "./postgresJs";
import { PGLITE } from "./pglite";
import { PLANETSCALE, TIDB } from "./planetscale";
import { PRISMA } from "./prisma/prisma";
import { SEQUELIZE } from "./sequelize/sequelize";
import { SERVERLESS_MYSQL } from "./serverlessMysql";
import { SLONIK } from "./slonik";
import {
  BETTER_SQLITE3,
  BUN_SQLITE,
  LIBSQL,
  NODE_SQLITE,
  SQLITE,
  SQLITE3,
  SQLITE_ASYNC,
} from "./sqlite";
import { TYPEORM } from "./typeorm/typeorm";
import { UNREAD } from "./unread";

export const LIBRARIES: readonly Library[] = [
  PG,
  MYSQL2,
  SERVERLESS_MYSQL,
  POSTGRES_JS,
  PG_PROMISE,
  MASSIVE,
  PLANETSCALE,
  PRISMA,
  KNEX,
  OBJECTION,
  DRIZZLE,
  KYSELY,
  TYPEORM,
  SEQUELIZE,
  MIKRO_ORM,
  NESTJS_CLS,
  SLONIK,
  AT_DATABASES,
  MSSQL,
  PGLITE,
  TIDB,
  BETTER_SQLITE3,
  NODE_SQLITE,
  BUN_SQLITE,
  SQLITE3,
  SQLITE,
  SQLITE_ASYNC,
  LIBSQL,
  UNREAD,
  JDBC,
  BENCHBASE,
  JPA,
  SPRING,
  MYBATIS,
];

/** The libraries of a workspace with these mapper files. */
export function librariesWith(mappers: readonly string[]): readonly Library[] {
  const files = readMapperFiles(mappers);
  return files.size === 0 ? LIBRARIES : LIBRARIES.map((each) => (each === MYBATIS ? mybatis(files) : each)); // prettier-ignore
}
