// The applications that are recorded: how each is started, and which of its transactions are races, which correct.
import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";

export interface Application {
  readonly name: string;
  /** Below `apps`. */
  readonly folder: string;
  readonly database: "postgres" | "mariadb";
  /** Makes its packages available in a folder of their own; a reason where they cannot be had. */
  readonly prepare: (home: string, app: string) => Prepared;
  readonly races: readonly string[];
  readonly twins: readonly string[];
}

export type Prepared =
  | { readonly command: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly missing: string };

const RACES = ["withdraw", "book", "redeem", "go_off_call", "issue_ticket"];
const TWINS = [
  "withdraw_locked",
  "redeem_in_place",
  "take_seat",
  "edit_document",
  "go_off_call_serializable",
];

function run(command: string, args: readonly string[], cwd?: string): string | undefined {
  const done = spawnSync(command, args, { encoding: "utf8", ...(cwd !== undefined && { cwd }) });
  if (done.status === 0) return undefined;
  const said = done.error?.message ?? done.stderr.trim().split("\n").at(-1) ?? "";
  return `${command} ${args.slice(0, 3).join(" ")}: ${said}`;
}

function python(
  packages: readonly string[],
  env: Readonly<Record<string, string>> = {},
  script = "tests.py",
): Application["prepare"] {
  return (home) => {
    const missing =
      run("python3", ["-m", "venv", home]) ??
      run(`${home}/bin/pip`, ["install", "-q", ...packages]);
    if (missing !== undefined) return { missing: `${packages.join(", ")}: ${missing}` };
    return { command: [`${home}/bin/python`, script], env };
  };
}

/** Programs of a package manager of the system. */
function installed(
  check: readonly [string, ...string[]],
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Application["prepare"] {
  return () => {
    const [program, ...args] = check;
    const missing = run(program, args);
    return missing === undefined ? { command, env } : { missing };
  };
}

/** Packages of npm beside the application. */
function node(packages: readonly string[]): Application["prepare"] {
  return (_, app) => {
    const missing = run("npm", ["install", "--no-save", "--silent", "--prefix", app, ...packages]);
    return missing === undefined ? { command: ["node", "shop.test.js"] } : { missing };
  };
}

/** Packages of Maven beside a program of a file, and one that calls it. */
const java: Application["prepare"] = (_, app) => {
  const copy = ["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"];
  const missing =
    run("mvn", copy, app) ??
    run(
      "javac",
      ["-cp", "lib/*", "-parameters", "-d", "classes", "Shop.java", "ShopTest.java"],
      app,
    );
  const path = `lib/*${delimiter}classes`;
  return missing === undefined ? { command: ["java", "-cp", path, "ShopTest"] } : { missing };
};

/** Modules of Go. */
const go: Application["prepare"] = (_, app) => {
  const missing = run("go", ["mod", "tidy"], app);
  return missing === undefined ? { command: ["go", "test", "./..."] } : { missing };
};

/** Crates, built before the recording. */
const rust: Application["prepare"] = (_, app) => {
  const missing = run("cargo", ["test", "--quiet", "--no-run"], app);
  return missing === undefined ? { command: ["cargo", "test", "--quiet"] } : { missing };
};

/** Without call sites, transactions are named by what they do. */
const UNNAMED = {
  races: ["update account", "insert booking", "update coupon", "update doctor", "insert ticket"],
  twins: ["update account 2", "update coupon 3", "insert seat", "update document", "update nurse"],
};

/** Methods of a type, in the names of Go and Java. */
function methodsOf(type: string): Pick<Application, "races" | "twins"> {
  const camel = (name: string): string =>
    `${type}.${name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  return { races: RACES.map(camel), twins: TWINS.map(camel) };
}

export const APPLICATIONS: readonly Application[] = [
  {
    name: "Django, psycopg",
    folder: "django",
    database: "postgres",
    prepare: python(["django", "psycopg[binary]"]),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "Django's TestCase, psycopg",
    folder: "django",
    database: "postgres",
    prepare: python(["django", "psycopg[binary]"], {}, "testcase.py"),
    races: RACES,
    // No level can be set in the transaction around a test.
    twins: TWINS.filter((name) => name !== "go_off_call_serializable"),
  },
  {
    name: "FastAPI, SQLAlchemy, psycopg",
    folder: "sqlalchemy",
    database: "postgres",
    prepare: python(
      ["fastapi", "httpx", "sqlalchemy", "psycopg[binary]"],
      { APP_DRIVER: "postgresql+psycopg" },
      "test_api.py",
    ),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "SQLAlchemy, psycopg",
    folder: "sqlalchemy",
    database: "postgres",
    prepare: python(["sqlalchemy", "psycopg[binary]"], { APP_DRIVER: "postgresql+psycopg" }),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "SQLAlchemy, PyMySQL (MariaDB)",
    folder: "sqlalchemy",
    database: "mariadb",
    prepare: python(["sqlalchemy", "pymysql"], { APP_DRIVER: "mysql+pymysql" }),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "Peewee, psycopg2",
    folder: "peewee",
    database: "postgres",
    prepare: python(["peewee", "psycopg2-binary"]),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "Tortoise ORM, asyncpg",
    folder: "tortoise",
    database: "postgres",
    prepare: python(["tortoise-orm[asyncpg]"]),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "pg (Node.js)",
    folder: "node-pg",
    database: "postgres",
    prepare: node(["pg"]),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "TypeORM, pg (Node.js)",
    folder: "typeorm",
    database: "postgres",
    prepare: node(["pg", "typeorm"]),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "Sequel, pg (Ruby)",
    folder: "sequel",
    database: "postgres",
    prepare: installed(["ruby", "-e", "require 'sequel'; require 'pg'"], ["ruby", "shop_test.rb"]),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "Active Record, pg (Ruby)",
    folder: "activerecord",
    database: "postgres",
    prepare: installed(
      ["ruby", "-e", "require 'active_record'; require 'pg'"],
      ["ruby", "shop_test.rb"],
    ),
    races: RACES,
    twins: TWINS,
  },
  {
    name: "pgx (Go)",
    folder: "go-pgx",
    database: "postgres",
    prepare: go,
    ...methodsOf("shop"),
  },
  {
    name: "GORM (Go)",
    folder: "go-gorm",
    database: "postgres",
    prepare: go,
    ...methodsOf("shop"),
  },
  {
    name: "tokio-postgres (Rust), no call sites",
    folder: "rust-postgres",
    database: "postgres",
    prepare: rust,
    ...UNNAMED,
  },
  {
    name: "Doctrine DBAL (PHP), no call sites",
    folder: "doctrine",
    database: "postgres",
    prepare: installed(
      [
        "php",
        "-r",
        "require 'Doctrine/DBAL/autoload.php'; exit(extension_loaded('pdo_pgsql') ? 0 : 1);",
      ],
      ["php", "shop_test.php"],
    ),
    ...UNNAMED,
  },
  {
    name: "JDBC (Java)",
    folder: "java-jdbc",
    database: "postgres",
    prepare: java,
    ...methodsOf("Shop"),
  },
  {
    name: "Hibernate (Java)",
    folder: "java-hibernate",
    database: "postgres",
    prepare: java,
    ...methodsOf("Shop"),
  },
  {
    name: "Spring Data JPA (Java)",
    folder: "java-spring",
    database: "postgres",
    prepare: java,
    ...methodsOf("Shop"),
  },
];
