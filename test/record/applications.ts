// The applications that are recorded: how each is started, and which of its transactions are races, which correct.
import { spawnSync } from "node:child_process";

export interface Application {
  readonly name: string;
  /** Below `apps`. */
  readonly folder: string;
  readonly database: "postgres" | "mariadb";
  /** Makes its packages available in a folder of their own; a reason where they cannot be had. */
  readonly prepare: (home: string) => Prepared;
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
): Application["prepare"] {
  return (home) => {
    const missing =
      run("python3", ["-m", "venv", home]) ??
      run(`${home}/bin/pip`, ["install", "-q", ...packages]);
    if (missing !== undefined) return { missing: `${packages.join(", ")}: ${missing}` };
    return { command: [`${home}/bin/python`, "tests.py"], env };
  };
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
];
