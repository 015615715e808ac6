// The servers that are there for tests and measurements: started when they are asked for, one of each product.
import type { TestContext } from "node:test";
import {
  startMariadb,
  startPostgres,
  type StartResult,
} from "../../server/src/replay/servers/temporary";

const STARTS: Readonly<Record<"postgres" | "mariadb", () => Promise<StartResult>>> = {
  postgres: startPostgres,
  mariadb: startMariadb,
};

/**
 * A started server; undefined where it is not installed, which the summary of the tests then lists. Throws where it is
 * and does not start.
 */
export async function serverFor(
  product: "postgres" | "mariadb",
  context: Pick<TestContext, "diagnostic">,
): Promise<Extract<StartResult, { ok: true }>["temporary"] | undefined> {
  const started = await STARTS[product]();
  if (started.ok) return started.temporary;
  if (started.installed) throw new Error(`${product} does not start: ${started.reason}`);
  const name = product === "postgres" ? "PostgreSQL (litmus)" : "MariaDB (litmus)";
  context.diagnostic(`not run: ${name}`);
  return undefined;
}
