// The basis of a level's rules, in words: measured outcomes, documentation, or axioms; and version dependencies of a product.
import { dictionary } from "../protocol/dictionary";
import type { LevelBasis } from "../protocol/report";
import { namedLevel } from "../program/declaredLevel";
import type { Level, Product } from "./levels";

/** The servers with which the measured rows were compared. */
const MEASURED_ON: Partial<Readonly<Record<Product, string>>> = {
  postgres: "PostgreSQL 15 and 18",
  mariadb: "MariaDB 10.11",
};

/** Basis of the level's rules. */
export function basisOf(level: Level): LevelBasis {
  const { name } = level;
  if (level.family === "paper")
    return { level: name, evidence: "axioms", text: "defined by axioms" };
  const { evidence, product } = level;
  if (evidence === "predicted") {
    const text = "follows the documentation; not measured";
    return { level: name, evidence, text };
  }
  const servers = MEASURED_ON[product];
  if (servers === undefined) throw new Error(`no server is named that ${name} was measured on`);
  const version = VERSIONS[namedLevel(name).name ?? name];
  const text = `measured on ${servers}`;
  return { level: name, evidence, text, ...(version !== undefined && { version }) };
}

/** Names with another meaning in some versions of their product. */
const VERSIONS = dictionary<string>({
  "mariadb:repeatable-read":
    "MariaDB's REPEATABLE READ depends on the setting innodb_snapshot_isolation, which is off by default before 11.6.2 and on from there on; off is checked here. Say mariadb:repeatable-read(snapshot_isolation=on) or (snapshot_isolation=off) for your server.",
});
