// Go takes copies of files in the place of others while it builds (`-overlay`): of `database/sql`, and of pgx, which has
// statements of its own. The copies are made of the user's own files and put the call site behind each statement.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Environment } from "../environment";
import { goSource } from "./goSource";

export interface GoOptions {
  /** Absolute path of the folder that is recorded in. */
  readonly root: string;
  readonly env: Environment;
  /** The folder to write into. */
  readonly folder: string;
  readonly remark: (text: string) => void;
}

/** Lines that are put behind a line of a package that begins so. */
interface Insertion {
  readonly behind: RegExp;
  readonly lines: string;
}

/** Statements of `database/sql`: a statement that is kept is made anew where it runs, with its place. */
const SQL: readonly Insertion[] = [
  {
    behind: /^func \(db \*DB\) (?:execDC|queryDC|prepareDC)\([^\n]*\bquery string[^\n]*\{$/gm,
    lines: "query = isolensCommented(query)",
  },
  {
    behind:
      /^func \(s \*Stmt\) (?:Exec|Query)Context\(ctx context\.Context, args \.\.\.any\)[^\n]*\{$/gm,
    lines: `if again, isOwn := s.isolensAgain(ctx); again != nil {
		if isOwn {
			defer again.Close()
		}
		return again.CALLED(context.WithValue(ctx, isolensAgainKey{}, true), args...)
	}`,
  },
];
const SQL_AGAIN = `
type isolensAgainKey struct{}

// The statement with the place where it runs now; a transaction closes its own ones.
func (s *Stmt) isolensAgain(ctx context.Context) (again *Stmt, isOwn bool) {
	s.mu.Lock()
	isClosed := s.closed
	s.mu.Unlock()
	if isClosed || s.stickyErr != nil || ctx.Value(isolensAgainKey{}) != nil {
		return nil, false
	}
	var err error
	switch grabber := s.cg.(type) {
	case nil:
		again, err = s.db.PrepareContext(ctx, isolensBare(s.query))
		isOwn = true
	case *Tx:
		again, err = grabber.PrepareContext(ctx, isolensBare(s.query))
	}
	if err != nil {
		return nil, false
	}
	return again, isOwn
}
`;

/** Statements of pgx, and names of those that it keeps. */
const PGX: readonly Insertion[] = [
  {
    behind: /^func \(c \*Conn\) (?:Exec|Query)\([^\n]*\bsql string[^\n]*\{$/gm,
    lines: "sql = c.isolensStatement(sql)",
  },
  {
    behind: /^func \(c \*Conn\) SendBatch\([^\n]*\bb \*Batch\b[^\n]*\{$/gm,
    lines: `for at, each := range b.QueuedQueries {
		if at == 0 {
			each.SQL = c.isolensStatement(each.SQL)
		} else {
			each.SQL = isolensBehind(c.isolensText(each.SQL), b.QueuedQueries[0].SQL[len(isolensBare(b.QueuedQueries[0].SQL)):])
		}
	}`,
  },
];
const PGX_NAMES = `
func (c *Conn) isolensText(sql string) string {
	if kept, ok := c.preparedStatements[sql]; ok {
		return isolensBare(kept.SQL)
	}
	return sql
}

func (c *Conn) isolensStatement(sql string) string {
	return isolensCommented(c.isolensText(sql))
}
`;

const PGX_MODULE = "github.com/jackc/pgx/v5";
const HELPER = "isolens_record.go";

/** The file of `-overlay` for all modules of the folder; undefined where there are none, or Go cannot be asked. */
export function goOverlay(options: GoOptions): string | undefined {
  const { root, folder, remark } = options;
  const modules = modulesOf(root);
  if (modules.length === 0) return undefined;
  const settings = asked(options, root, ["env", "-json", "GOROOT", "GOFLAGS"]);
  if (settings === undefined) return undefined;
  // Go's own answer.
  const { GOROOT, GOFLAGS } = JSON.parse(settings) as {
    readonly GOROOT: string;
    readonly GOFLAGS: string;
  };
  if (GOFLAGS.includes("-overlay")) {
    remark("GOFLAGS has an -overlay of its own: Go's call sites are not known");
    return undefined;
  }
  const replaced = new Map<string, string>();
  const sql = path.join(GOROOT, "src/database/sql");
  const own = path.join(folder, "sql.go");
  if (copied(path.join(sql, "sql.go"), own, SQL)) {
    replaced.set(path.join(sql, "sql.go"), own);
    const helper = path.join(folder, "sql_record.go");
    const imports = 'import (\n\t"context"\n';
    writeFileSync(helper, goSource("sql").replace("import (\n", imports) + SQL_AGAIN);
    replaced.set(path.join(sql, HELPER), helper);
  } else remark(`database/sql of ${GOROOT} is of no known form: its call sites are not known`);
  const file = path.join(folder, "overlay.json");
  for (const [at, module] of modules.entries()) {
    const isPgx = replacePgx(
      { ...options, folder: path.join(folder, String(at)) },
      module,
      replaced,
    );
    writeFileSync(file, JSON.stringify({ Replace: Object.fromEntries(replaced) }));
    // Copies that Go does not take would keep the application from being built.
    const packages = ["database/sql", ...(isPgx ? [PGX_MODULE] : [])];
    if (asked(options, module, ["build", `-overlay=${file}`, ...packages]) === undefined)
      return undefined;
  }
  return file;
}

/** True where pgx has a copy. Files beneath the module cache take no overlay: there the module's own `go.mod` names a copy of the whole package. */
function replacePgx(options: GoOptions, module: string, replaced: Map<string, string>): boolean {
  const { folder, remark } = options;
  const vendored = path.join(module, "vendor", PGX_MODULE);
  const isVendored = existsSync(vendored);
  const format = "{{if .Dir}}{{.Dir}}{{end}}";
  const found = isVendored
    ? vendored
    : asked(options, module, ["list", "-e", "-m", "-f", format, PGX_MODULE])?.trim();
  if (found === undefined || found === "" || !existsSync(found)) return false;
  const copy = path.join(folder, "pgx");
  cpSync(found, copy, { recursive: true, filter: (each) => !each.endsWith("_test.go") });
  const isKnown = copied(path.join(found, "conn.go"), path.join(copy, "conn.go"), PGX);
  if (!isKnown) {
    remark(`pgx in ${found} is of no known form: its call sites are not known`);
    return false;
  }
  writeFileSync(path.join(copy, HELPER), goSource("pgx") + PGX_NAMES);
  if (isVendored) {
    for (const name of ["conn.go", HELPER])
      replaced.set(path.join(vendored, name), path.join(copy, name));
    return true;
  }
  const workspace = asked(options, module, ["env", "GOWORK"])?.trim() ?? "";
  const isWorkspace = workspace !== "" && workspace !== "off";
  const manifest = isWorkspace ? workspace : path.join(module, "go.mod");
  const edited = path.join(folder, path.basename(manifest));
  writeFileSync(edited, readFileSync(replaced.get(manifest) ?? manifest));
  const edit = [isWorkspace ? "work" : "mod", "edit", `-replace=${PGX_MODULE}=${copy}`, edited];
  if (asked(options, module, edit) === undefined) return false;
  replaced.set(manifest, edited);
  return true;
}

/** Copies a file with its insertions; false where one of them has no place. */
function copied(file: string, to: string, insertions: readonly Insertion[]): boolean {
  if (!existsSync(file)) return false;
  let text = readFileSync(file, "utf8");
  for (const { behind, lines } of insertions) {
    if (text.search(behind) < 0) return false;
    text = text.replace(behind, (line) => {
      const [, name = ""] = /\) (\w+)\(/.exec(line) ?? [];
      return `${line}\n\t${lines.replace("CALLED", name)}`;
    });
  }
  writeFileSync(to, text);
  return true;
}

/** Go's answer; undefined where it refuses, which is said. */
function asked(
  { env, remark }: GoOptions,
  cwd: string,
  args: readonly string[],
): string | undefined {
  const done = spawnSync("go", args, { cwd, env: { ...env }, encoding: "utf8" });
  if (done.status === 0) return done.stdout;
  const lines = (done.error?.message ?? done.stderr).trim().split("\n");
  const reason = lines.find((line) => !line.startsWith("#")) ?? "";
  remark(`Go's call sites are not known: go ${args[0] ?? ""}: ${reason}`);
  return undefined;
}

/** Folders that hold no modules of the application. */
const NONE = /^(?:\.|node_modules$|vendor$|testdata$)/;
const DEPTH = 4;

/** The folders of `go.mod`, the one around the root among them. */
function modulesOf(root: string): readonly string[] {
  const found: string[] = [];
  for (let above = path.dirname(root); above !== path.dirname(above); above = path.dirname(above))
    if (existsSync(path.join(above, "go.mod"))) found.push(above);
  const visit = (folder: string, depth: number): void => {
    const entries = readdirSync(folder, { withFileTypes: true });
    if (entries.some((each) => each.name === "go.mod" && each.isFile())) found.push(folder);
    if (depth === DEPTH) return;
    for (const each of entries)
      if (each.isDirectory() && !NONE.test(each.name))
        visit(path.join(folder, each.name), depth + 1);
  };
  visit(root, 0);
  return found.slice(0, MOST);
}

const MOST = 16;
