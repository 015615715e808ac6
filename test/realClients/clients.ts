// Which clients there are, what each needs, and how it is started: data for `main.ts`. A client that needs what is not
// installed is listed by name.
export type Product = "postgres" | "mysql";

export interface Client {
  readonly name: string;
  readonly products: readonly Product[];
  readonly language: Language;
  /** Packages by the names that the language's installer knows. */
  readonly packages: readonly string[];
  /** The program in the folder of the language. */
  readonly program: string;
  /** The arguments behind PRODUCT and PORT. */
  readonly further?: (product: Product) => readonly string[];
}

export type Language = "node" | "python" | "shell" | "java" | "go" | "rust" | "ruby";

const BOTH: readonly Product[] = ["postgres", "mysql"];
const POSTGRES: readonly Product[] = ["postgres"];
const MYSQL: readonly Product[] = ["mysql"];

function node(program: string, products: readonly Product[], ...packages: string[]): Client {
  const drivers = products.flatMap((each) => (each === "postgres" ? ["pg"] : ["mysql2"]));
  return {
    name: packages[0] ?? program,
    products,
    language: "node",
    packages: [...packages, ...(products === BOTH ? drivers : [])],
    program: `${program}.mjs`,
  };
}

function python(
  name: string,
  program: string,
  products: readonly Product[],
  ...packages: string[]
): Client {
  return { name, products, language: "python", packages, program: `${program}.py` };
}

function sqlalchemy(driver: string, product: Product, ...packages: string[]): Client {
  return {
    ...python(
      `SQLAlchemy 2 over ${driver}`,
      "withSqlalchemy",
      [product],
      "sqlalchemy",
      ...packages,
    ),
    further: () => [driver],
  };
}

function mysqlPython(module: string, name: string): Client {
  return { ...python(name, "withPymysql", MYSQL, name, "cryptography"), further: () => [module] };
}

function shell(program: string, command: string, products: readonly Product[]): Client {
  return {
    name: command,
    products,
    language: "shell",
    packages: [command],
    program: `${program}.sh`,
    further: () => [command],
  };
}

function java(name: string, main: string, products: readonly Product[]): Client {
  return { name, products, language: "java", packages: ["mvn"], program: main };
}

function go(name: string, program: string, products: readonly Product[]): Client {
  return { name, products, language: "go", packages: ["go"], program };
}

export const CLIENTS: readonly Client[] = [
  shell("psql", "psql", POSTGRES),
  shell("mariadb", "mariadb", MYSQL),
  shell("mariadb", "mysql", MYSQL),
  node("pg", POSTGRES, "pg", "pg-cursor", "pg-query-stream", "pg-copy-streams"),
  node("postgresJs", POSTGRES, "postgres"),
  node("mysql2", MYSQL, "mysql2"),
  node("mariadb", MYSQL, "mariadb"),
  node("knex", BOTH, "knex"),
  node("kysely", BOTH, "kysely"),
  node("sequelize", BOTH, "sequelize"),
  node("typeorm", BOTH, "typeorm", "reflect-metadata"),
  node("drizzle", BOTH, "drizzle-orm"),
  node("mikroOrm", BOTH, "@mikro-orm/core", "@mikro-orm/postgresql", "@mikro-orm/mysql"),
  node("prisma", BOTH, "prisma", "@prisma/client", "@prisma/adapter-pg", "@prisma/adapter-mariadb"),
  python("psycopg 3", "psycopg3", POSTGRES, "psycopg[binary]"),
  python("psycopg2", "withPsycopg2", POSTGRES, "psycopg2-binary"),
  python("asyncpg", "withAsyncpg", POSTGRES, "asyncpg"),
  sqlalchemy("psycopg", "postgres", "psycopg[binary]"),
  sqlalchemy("psycopg2", "postgres", "psycopg2-binary"),
  sqlalchemy("pymysql", "mysql", "pymysql", "cryptography"),
  sqlalchemy("mysqlconnector", "mysql", "mysql-connector-python"),
  python("Django", "withDjango", BOTH, "django", "psycopg[binary]", "pymysql", "cryptography"),
  mysqlPython("pymysql", "pymysql"),
  mysqlPython("MySQLdb", "mysqlclient"),
  mysqlPython("mysql.connector", "mysql-connector-python"),
  java("pgjdbc", "Jdbc", POSTGRES),
  java("Connector/J 8", "JdbcMysql8", MYSQL),
  java("Connector/J 9", "Jdbc", MYSQL),
  java("MariaDB Connector/J", "JdbcMariadb", MYSQL),
  java("HikariCP", "Hikari", BOTH),
  java("Flyway", "FlywayMigrations", BOTH),
  java("Liquibase", "LiquibaseChanges", BOTH),
  java("Hibernate", "HibernateEntities", BOTH),
  java("Spring Data JPA", "SpringData", BOTH),
  go("pgx", "pgx", POSTGRES),
  go("lib/pq", "pq", POSTGRES),
  go("go-sql-driver/mysql", "mysql", MYSQL),
  go("GORM", "gorm", BOTH),
  {
    name: "tokio-postgres",
    products: POSTGRES,
    language: "rust",
    packages: ["cargo"],
    program: "tokio",
  },
  { name: "sqlx", products: BOTH, language: "rust", packages: ["cargo"], program: "sqlx" },
  {
    name: "ActiveRecord",
    products: BOTH,
    language: "ruby",
    packages: ["ruby"],
    program: "activeRecord.rb",
  },
];
