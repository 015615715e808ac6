// BenchBase's own client (its sources, compiled), recorded at a small scale: its procedures as they are learnt, beside its sources.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { PORTS, type Servers } from "./servers";
import { cli, type Compared, type Report } from "./tuples";

/** Scale factors with which a benchmark loads in seconds. */
const SCALES = { smallbank: "0.001", voter: "1", seats: "0.02", tpcc: "1" };
export const BENCHMARKS = ["smallbank", "voter", "seats", "tpcc"] as const;
const SECONDS = 25;
const PROXY = 54_875;

/** Loads a benchmark of a checkout, records a run of it, and puts its sources beside its tables. */
export async function recordedBenchmark(
  name: (typeof BENCHMARKS)[number],
  { checkout, home, servers }: { readonly checkout: string; readonly home: string; readonly servers: Servers }, // prettier-ignore
): Promise<Compared> {
  const url = await servers.database("postgres", name, "");
  const sample = path.join(checkout, `config/postgres/sample_${name}_config.xml`);
  const configured = (port: number): string => {
    const file = path.join(home, `${name}-${String(port)}.xml`);
    const settled = [
      ["url", `jdbc:postgresql://127.0.0.1:${String(port)}/${name}?sslmode=disable`],
      ["username", "isolens"],
      ["isolation", "TRANSACTION_READ_COMMITTED"],
      ["scalefactor", SCALES[name]],
      ["time", String(SECONDS)],
      ["rate", "60"],
    ].reduce(
      (text, [element = "", value = ""]) =>
        text.replace(
          new RegExp(`<${element}>.*</${element}>`),
          `<${element}>${value}</${element}>`,
        ),
      readFileSync(sample, "utf8"),
    );
    writeFileSync(file, settled);
    return file;
  };
  const command = (config: string, does: "load" | "execute"): readonly string[] => [
    path.join(process.env["JAVA_HOME"] ?? "/usr", "bin/java"),
    ...["-Xmx1g", "-cp", "target/classes:lib/*", "com.oltpbenchmark.DBWorkload", "-b", name],
    ...["-c", config, `--create=${String(does === "load")}`, `--load=${String(does === "load")}`],
    `--execute=${String(does === "execute")}`,
  ];
  const [java = "", ...load] = command(configured(PORTS.postgres), "load");
  const loaded = spawnSync(java, load, { cwd: checkout, encoding: "utf8" });
  if (loaded.status !== 0) throw new Error(`${name}: ${loaded.stderr}`);
  const learnt = path.join(home, `${name}-learnt`);
  const options = ["--server", url, "--port", String(PROXY), "--keep", "--out", learnt];
  const run = await cli(["record", ...options, "--", ...command(configured(PROXY), "execute")], {
    cwd: checkout,
    env: process.env,
  });
  const sources = path.join(home, `${name}-sources`);
  mkdirSync(sources);
  const main = path.join(checkout, "src/main");
  cpSync(path.join(main, "java/com/oltpbenchmark/benchmarks", name), path.join(sources, name), {
    recursive: true,
  });
  cpSync(
    path.join(main, "resources/benchmarks", name, "ddl-postgres.sql"),
    path.join(sources, "schema.sql"),
  );
  const settings = { level: "postgres:read-committed", dialect: "postgres" };
  writeFileSync(path.join(sources, "isolens.json"), JSON.stringify(settings));
  return { sources, learnt, said: run.error };
}

/** Without call sites, a learnt transaction is the procedure that reads and writes most of the same tables and few others. */
export function procedureOf(sources: Report, learnt: Report): (name: string) => string | undefined {
  const uses = ({ transactions }: Report): ReadonlyMap<string, ReadonlySet<string>> =>
    new Map(
      transactions.map(({ name, tables = [] }) => [
        name,
        new Set(
          tables.flatMap((table) => [
            ...(table.reads ? [`reads ${table.name}`] : []),
            ...(table.writes ? [`writes ${table.name}`] : []),
          ]),
        ),
      ]),
    );
  const procedures = [...uses(sources)].filter(([name]) => name.endsWith(".run"));
  const found = [...uses(learnt)].map(([name, own]): readonly [string, string | undefined] => {
    const ranked = procedures
      .map(([procedure, other]) => {
        const both = [...own].filter((each) => other.has(each)).length;
        return { procedure, likeness: both / (own.size + other.size - both) };
      })
      .sort((a, b) => b.likeness - a.likeness);
    const [best] = ranked;
    const same = procedures.find(([procedure]) => procedure === name)?.[0];
    return [name, same ?? (best !== undefined && best.likeness > 0.5 ? best.procedure : undefined)];
  });
  const names = new Map(found);
  return (name) => names.get(name);
}
