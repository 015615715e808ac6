// Programs that are read statically and recorded: applications of test/apps, and those of test/data/statements for each library.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROWS, TABLES } from "./rows";
import type { Product } from "./servers";

const APPS = path.resolve(__dirname, "../../apps");
const DATA = path.resolve(__dirname, "../../data/statements");
const SETTINGS: Readonly<Record<Product, object>> = {
  postgres: { level: "postgres:read-committed", dialect: "postgres" },
  mariadb: { level: "mariadb:repeatable-read", dialect: "mariadb" },
};
const PACKAGES = {
  ...{ "@mikro-orm/core": "6.4.3", "@mikro-orm/postgresql": "6.4.3", "drizzle-orm": "0.45.4" },
  ...{ knex: "3.3.0", kysely: "0.28.18", massive: "6.11.3", mysql2: "3.24.6", objection: "3.1.5" },
  ...{ pg: "8.23.1", postgres: "3.4.9", "reflect-metadata": "0.2.2", sequelize: "6.37.8" },
  ...{ "serverless-mysql": "2.1.0", typeorm: "1.1.1" },
  ...{ "@prisma/adapter-pg": "6.19.0", "@prisma/client": "6.19.0", prisma: "6.19.0" },
};
const PROGRAMS = [
  ...["pg", "postgres", "knex", "kysely", "drizzle", "typeorm", "sequelize", "mikroorm"],
  ...["objection", "massive"],
];
const MYSQL_PROGRAMS = [
  ...["mysql2", "serverless-mysql", "knex-mysql", "drizzle-mysql", "typeorm-mysql"],
  "sequelize-mysql",
];

export interface Subject {
  readonly name: string;
  readonly product: Product;
  /** The folder that is read statically, and recorded in. */
  readonly sources: string;
  readonly tables: string;
  readonly driver: readonly string[];
}

export interface SubjectOptions {
  readonly isChosen: (name: string) => boolean;
  /** A folder with the clients; installed into `fresh` if absent. */
  readonly clients: string | undefined;
  readonly fresh: string;
}

export function subjectsOf({ isChosen, clients, fresh }: SubjectOptions): readonly Subject[] {
  const applications = [...ROWS.keys()].filter(isChosen).map(application);
  const names = [...PROGRAMS, ...MYSQL_PROGRAMS].filter(isChosen);
  const isPrisma = isChosen("prisma");
  if (names.length === 0 && !isPrisma) return applications;
  const folder = clients ?? installed(fresh);
  return [
    ...applications,
    ...names.map((name) => program(name, folder)),
    ...(isPrisma ? [prisma(folder)] : []),
  ];
}

function application(name: string): Subject {
  const sources = path.join(APPS, name);
  const tables = readFileSync(path.join(sources, "schema.sql"), "utf8") + (ROWS.get(name) ?? "");
  const driver = [path.join(__dirname, "apps.ts"), name];
  return { name, product: "postgres", sources, tables, driver };
}

/** A program in a folder of its own, with its packages in the folder above. */
function program(name: string, clients: string): Subject {
  const product = MYSQL_PROGRAMS.includes(name) ? "mariadb" : "postgres";
  const suffix = product === "mariadb" ? ".mysql" : "";
  const tables = readFileSync(path.join(DATA, `tables${suffix}.sql`), "utf8");
  const sources = path.join(clients, `own-${name}`);
  mkdirSync(sources, { recursive: true });
  const file = path.join(sources, `${name}.ts`);
  const text = readFileSync(path.join(DATA, "programs", `${name}.ts`), "utf8");
  writeFileSync(file, product === "mariadb" ? toProxy(text) : text);
  writeFileSync(path.join(sources, "schema.sql"), tables);
  writeFileSync(path.join(sources, "isolens.json"), JSON.stringify(SETTINGS[product]));
  writeFileSync(path.join(sources, "tsconfig.json"), TSCONFIG);
  const driver = [path.join(__dirname, "shapes.ts"), file, DATA];
  return { name, product, sources, tables, driver };
}

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    ...{ experimentalDecorators: true, emitDecoratorMetadata: true, target: "es2022" },
  },
});

/** Programs of MySQL name their server themselves; the proxy's port and the database come from the environment. */
function toProxy(text: string): string {
  return text
    .replace(/host: "localhost"/, 'host: "127.0.0.1", port: Number(process.env.MYSQL_PORT)')
    .replace(/"shop"/, 'process.env.MYSQL_DATABASE ?? "shop"');
}

/** The shapes of Prisma, whose client is made without an engine of its own: the one for schemas is never asked. */
function prisma(clients: string): Subject {
  const name = "prisma";
  const sources = path.join(clients, "own-prisma");
  cpSync(path.join(APPS, "prisma-shapes"), sources, { recursive: true });
  const client = `import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "@prisma/client";

export const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) });
`;
  writeFileSync(path.join(sources, "client.ts"), client);
  writeFileSync(path.join(sources, "isolens.json"), JSON.stringify(SETTINGS.postgres));
  const file = path.join(clients, "prisma.prisma");
  const schema = readFileSync(path.join(sources, "schema.prisma"), "utf8")
    .replace(/generator client \{[^}]*\}/, GENERATOR)
    .replace(/provider = "postgresql"/, '$&\n  url = env("DATABASE_URL")');
  writeFileSync(file, schema);
  const { status, stderr } = spawnSync("npx", ["prisma", "generate", "--schema", file], {
    cwd: clients,
    encoding: "utf8",
    env: {
      ...process.env,
      DATABASE_URL: "postgres://unused",
      PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true",
    },
  });
  if (status !== 0) throw new Error(`prisma generate: ${stderr}`);
  const driver = [path.join(__dirname, "apps.ts"), name];
  return { name, product: "postgres", sources, tables: TABLES.get(name) ?? "", driver };
}

const GENERATOR = `generator client {
  provider   = "prisma-client-js"
  engineType = "client"
}`;

function installed(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, "package.json"),
    JSON.stringify({ private: true, dependencies: PACKAGES }),
  );
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm could not install the clients into ${folder}`);
  return folder;
}
