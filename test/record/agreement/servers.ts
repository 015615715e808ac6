// Real servers for the programs that are compared, each started when the first of its programs needs it.
import mysql from "mysql2/promise";
import { Client } from "pg";
import {
  startMariadb,
  startPostgres,
  type TemporaryServer,
} from "../../../server/src/replay/servers/temporary";

export type Product = "postgres" | "mariadb";

export const PORTS = { postgres: 54_873, mariadb: 54_874 } as const;

export interface Servers {
  /** A new database with these tables, as its URL. */
  readonly database: (product: Product, name: string, tables: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export function openServers(): Servers {
  const running = new Map<Product, TemporaryServer>();
  async function started(product: Product): Promise<TemporaryServer> {
    const known = running.get(product);
    if (known !== undefined) return known;
    const result = await (product === "postgres"
      ? startPostgres([], PORTS.postgres)
      : startMariadb(PORTS.mariadb));
    if (!result.ok) throw new Error(`${product}: ${result.reason}`);
    running.set(product, result.temporary);
    return result.temporary;
  }
  return {
    async database(product, name, tables) {
      const { server } = await started(product);
      const admin = await server.open();
      await admin.execute(`CREATE DATABASE ${name}`);
      await admin.close();
      const url =
        product === "postgres"
          ? `postgres://isolens@127.0.0.1:${String(PORTS.postgres)}/${name}`
          : `mysql://root@127.0.0.1:${String(PORTS.mariadb)}/${name}`;
      await runScript(url, tables);
      return url;
    },
    async stop() {
      for (const { stop } of running.values()) await stop();
    },
  };
}

async function runScript(url: string, script: string): Promise<void> {
  if (script.trim() === "") return;
  if (url.startsWith("mysql:")) {
    const client = await mysql.createConnection({ uri: url, multipleStatements: true });
    await client.query(script);
    await client.end();
    return;
  }
  const client = new Client(url);
  await client.connect();
  await client.query(script);
  await client.end();
}
