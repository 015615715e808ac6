// `isolens record`: runs a command with a proxy in front of its database and writes the learnt transactions. The caller checks the result.
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { ownEntry } from "../protocol/dictionary";
import { recordedSchema } from "../record/catalog/schemaText";
import {
  redirectConnections,
  serverOf,
  serverOfEnvironment,
  type Environment,
  type RecordedServer,
} from "../record/environment";
import { hooksFolder, openHooks, withHooks, type OwnHooks } from "../record/hooks/hooks";
import { placeOf } from "../record/proxy/proxy";
import type { Protocol } from "../record/events";
import { NOTHING } from "../record/intake";
import { writePrivate } from "../record/privateFile";
import { readLog } from "../record/log/log";
import { lostLines } from "../record/lostLines";
import { readRecording } from "../record/recording";
import { learntFiles, USUAL_LEVEL, type LearntResult } from "../record/result";
import { openSession, runCommand, type OpenRecording } from "../record/session";
import {
  newGlossary,
  recordedStatement,
  type Glossary,
  type RecordedStatement,
} from "../record/statements";
import { fileErrorText, readTextFileNow } from "../workspace/textFile";
import { EXIT } from "./exit";
import type { CliIo } from "./io";
import type { RecordArguments } from "./recordArguments";
import { settledDoubts } from "./recordReruns";

/** The written folder, to be checked; or the exit code if there is nothing to check. */
export type RecordResult = { readonly folder: string } | { readonly code: number };

/** Records, learns and writes; the first interrupt ends the recording and keeps it. */
export async function recordCommand(
  args: RecordArguments,
  io: CliIo,
  signal: AbortSignal,
): Promise<RecordResult> {
  const folder = path.resolve(io.cwd, args.out);
  const file = path.join(folder, RECORDING);
  const earlier = earlierRecording(args, { file, cwd: io.cwd });
  if (typeof earlier === "string") return refused(io, earlier);
  for (const remark of earlier.remarks) io.error(`isolens: ${remark}\n`);
  const server = serverFor(args, earlier.protocol);
  if (typeof server === "string") return refused(io, server);
  const session =
    args.from === undefined && args.log === undefined
      ? await recorded(args, io, { server, file, signal, earlier })
      : undefined;
  if (session !== undefined && "code" in session) return session;
  if (session?.isCut === true) return { code: EXIT.usage };
  const {
    statements: own,
    glossary,
    count: more,
  } = session?.state() ?? { ...NOTHING, glossary: earlier.glossary };
  const statements = allStatements(earlier.statements, own);
  if (session && !args.keep) rmSync(file, { force: true });
  const count = earlier.statements.length + more;
  return written(args, io, { server, folder, statements, count, glossary });
}

/** The variable by which runners take the seed of their tests' order (Minitest). */
const ORDER = "SEED";
const RECORDING = "recording.jsonl";
/** The first line of files written by this command. */
const LEARNT = '-- Learnt by "isolens record"';

function refused(io: CliIo, message: string): RecordResult {
  io.error(`isolens: ${message}\n`);
  return { code: EXIT.usage };
}

/** The user's server, with the protocol of an earlier recording. */
function serverFor(
  { server, env, from, log }: RecordArguments,
  protocol: Protocol | undefined,
): RecordedServer | string {
  const unset = env.find((name) => ownEntry(process.env, name) === undefined);
  if (unset !== undefined) return `--env ${unset}: the environment has no such variable`;
  const found =
    server === undefined ? serverOfEnvironment(process.env, env) : serverOf(server, "--server");
  const isOther =
    typeof found === "object" && protocol !== undefined && found.protocol !== protocol;
  if (found !== undefined && !isOther) return found;
  // A recording or log needs no server.
  if ((from ?? log) !== undefined && server === undefined)
    return {
      ...{ protocol: protocol ?? "postgres", host: "127.0.0.1", port: 0 },
      ...{ from: "no option", isUnnamed: true },
    };
  if (isOther) return `the recording is of ${protocol}, and ${found.from} names ${found.protocol}`;
  return "which server? Name it by --server postgres://user@localhost:5432/app (or mysql://...), or set DATABASE_URL, PGHOST and PGPORT, MYSQL_HOST and MYSQL_PORT, or DB_HOST and DB_PORT";
}

interface EarlierRecording {
  readonly protocol?: Protocol;
  readonly statements: readonly RecordedStatement[];
  readonly glossary: Glossary;
  readonly remarks: readonly string[];
}

/** The recording or log of `--merge`, `--from` or `--log`; a sentence if it cannot be read. */
function earlierRecording(
  { from, log, merge }: RecordArguments,
  { file, cwd }: { readonly file: string; readonly cwd: string },
): EarlierRecording | string {
  const glossary = newGlossary();
  if (log !== undefined) return loggedStatements(log, cwd, glossary);
  if (from === undefined && !(merge && existsSync(file)))
    return { statements: [], glossary, remarks: [] };
  const read = readRecording(from === undefined ? file : path.resolve(cwd, from));
  if ("reason" in read) return `${from ?? file}: ${read.reason}`;
  const { protocol, key, statements, lost } = read;
  const remarks = lost > 0 ? [lostLines(lost, "the recording")] : [];
  return { protocol, statements, glossary: newGlossary(key), remarks };
}

/** Limit of a log in bytes. */
const LONGEST_LOG = 256 * 1024 * 1024;

function loggedStatements(log: string, cwd: string, glossary: Glossary): EarlierRecording | string {
  const file = readTextFileNow(path.resolve(cwd, log), { largest: LONGEST_LOG });
  if (!file.ok) return `${log}: ${file.reason}`;
  const read = readLog(file.text);
  if ("reason" in read) return `${log}: ${read.reason}`;
  const { protocol, events, remarks } = read;
  const statements = events.map((event) => recordedStatement(event, protocol, glossary));
  return { protocol, statements, glossary, remarks };
}

/** Statements of earlier runs, followed by those of this one. */
function allStatements(
  earlier: readonly RecordedStatement[],
  statements: readonly RecordedStatement[],
): readonly RecordedStatement[] {
  if (earlier.length === 0) return statements;
  const most = (of: (statement: RecordedStatement) => number): number =>
    earlier.reduce((max, each) => Math.max(max, of(each) + 1), 0);
  const [connections, orders] = [most(({ connection }) => connection), most(({ order }) => order)];
  const own = statements.map((each) => ({
    ...each,
    connection: each.connection + connections,
    order: each.order + orders,
  }));
  return [...earlier, ...own];
}

interface Surroundings {
  readonly server: RecordedServer;
  readonly file: string;
  readonly signal: AbortSignal;
  readonly earlier: EarlierRecording;
}

async function recorded(
  args: RecordArguments,
  io: CliIo,
  { server, file, signal, earlier: { statements: before, glossary } }: Surroundings,
): Promise<OpenRecording | { readonly code: number }> {
  const remark = (text: string): void => {
    io.error(`isolens: ${text}\n`);
  };
  let session: OpenRecording;
  try {
    session = await openSession({
      server,
      port: args.port,
      recording: { file, isContinued: args.merge, key: glossary.key },
      remark,
    });
  } catch (error) {
    remark(
      `port ${String(args.port)} of 127.0.0.1 or ${file} cannot be had: ${fileErrorText(error)}; leave --port out for a free one`,
    );
    return { code: EXIT.usage };
  }
  const hooks = args.run.length === 0 ? undefined : openHooks(process.env, io.cwd, remark);
  try {
    if (hooks === undefined) await listened(io, server, session, signal);
    else {
      const env = commandEnvironment(args, io, { server, session, hooks });
      const began = Date.now();
      const started = await ran(args, io, { env, signal });
      if (!started) return { code: EXIT.usage };
      if (args.perturb !== undefined) {
        const files = (): LearntResult => {
          const { statements, glossary } = session.state();
          return learntFiles(allStatements(before, statements), {
            protocol: server.protocol,
            glossary,
          });
        };
        await settledDoubts(io, {
          ...{ session, env, signal, command: args.run, database: args.perturb },
          protocol: server.protocol,
          took: Date.now() - began,
          learnt: () => files().files.map(({ program }) => program),
        });
      }
    }
  } finally {
    hooks?.close();
    await session.close();
  }
  if (session.connections() === 0) {
    remark(
      `nothing connected to 127.0.0.1:${String(session.port)}: the application finds its server elsewhere; name the variable that holds its address by --env NAME, or let it connect to that port (--port fixes it)`,
    );
    return { code: EXIT.usage };
  }
  return session;
}

async function listened(
  io: CliIo,
  server: RecordedServer,
  session: OpenRecording,
  signal: AbortSignal,
): Promise<void> {
  io.error(
    `isolens: listening on 127.0.0.1:${String(session.port)} for ${placeOf(server)}; an interrupt (Ctrl-C) ends the recording\n`,
  );
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener(
      "abort",
      () => {
        resolve();
      },
      { once: true },
    );
  });
}

/** The environment in which the command finds the proxy; prints the changes. */
function commandEnvironment(
  args: RecordArguments,
  io: CliIo,
  {
    server,
    session,
    hooks,
  }: {
    readonly server: RecordedServer;
    readonly session: OpenRecording;
    readonly hooks: OwnHooks;
  },
): Environment {
  const { env, changed } = redirectConnections(process.env, server, session.port, args.env);
  const folder = hooksFolder(__dirname);
  io.error(
    `isolens: recording ${placeOf(server)} (${server.from}) through 127.0.0.1:${String(session.port)}; ${changed.join(", ")} ${changed.length === 1 ? "names" : "name"} it for the command\n`,
  );
  // Runs with changed answers are held against the same calls of the first run: tests in an order by chance keep it.
  const ordered = args.perturb === undefined ? env : { [ORDER]: "1", ...env };
  return folder === undefined ? ordered : withHooks(ordered, { folder, root: io.cwd, own: hooks });
}

async function ran(
  args: RecordArguments,
  io: CliIo,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<boolean> {
  const end = await runCommand(args.run, { cwd: io.cwd, env, signal });
  if (end.kind === "notStarted") {
    io.error(`isolens: ${args.run.join(" ")} did not start: ${end.reason}\n`);
    return false;
  }
  const why =
    end.kind === "signal"
      ? `by ${end.signal}`
      : end.code === 0
        ? undefined
        : `with code ${String(end.code)}`;
  if (why !== undefined)
    io.error(`isolens: the command ended ${why}; what it did up to there is learnt\n`);
  return true;
}

async function written(
  args: RecordArguments,
  io: CliIo,
  {
    server,
    folder,
    statements,
    count,
    glossary,
  }: {
    readonly server: RecordedServer;
    readonly folder: string;
    readonly statements: readonly RecordedStatement[];
    /** The total number. */
    readonly count: number;
    readonly glossary: Glossary;
  },
): Promise<RecordResult> {
  const options = {
    protocol: server.protocol,
    glossary,
    showsValues: args.values,
    ...(args.run.length > 0 && { command: args.run }),
  };
  const usual = learntFiles(statements, options);
  if (usual.files.length === 0) return refused(io, nothingText(count, usual));
  const schema = await recordedSchema(server, statements);
  const { level } = schema;
  const result = level === undefined ? usual : learntFiles(statements, { ...options, level });
  for (const remark of schema.remarks) io.error(`isolens: ${remark}\n`);
  const names = new Set(["schema.sql", ...result.files.map(({ name }) => name)]);
  try {
    if (existsSync(folder)) removeOlder(folder, names);
    for (const { name, text } of result.files) writePrivate(path.join(folder, name), text);
    writePrivate(path.join(folder, "schema.sql"), schema.text);
    writeConfiguration(path.join(folder, "isolens.json"), io, {
      level: levelName(server, schema.level),
      dialect: dialectOf(server),
    });
  } catch (error) {
    return refused(io, `${folder}: not written: ${fileErrorText(error)}`);
  }
  const many = (count: number, one: string): string =>
    `${String(count)} ${one}${count === 1 ? "" : "s"}`;
  io.error(
    `isolens: ${many(count, "statement")}, ${many(result.runs, "run")} of ${many(result.files.length, "transaction")}${result.ofTests > 0 ? `; ${many(result.ofTests, "statement")} of the tests themselves left out` : ""}; written to ${args.out}\n`,
  );
  return { folder: args.out };
}

/** An existing configuration is kept, since the user may have edited it. */
function writeConfiguration(
  file: string,
  io: CliIo,
  { level, dialect }: { readonly level: string; readonly dialect: string },
): void {
  if (!existsSync(file)) {
    writePrivate(file, `${JSON.stringify({ level, dialect }, null, 2)}\n`);
    return;
  }
  const read = readTextFileNow(file);
  if (!read.ok || !read.text.includes(JSON.stringify(level)))
    io.error(`isolens: ${file} stays as it is; the server's own level is ${level}\n`);
}

function nothingText(count: number, { ofTests }: LearntResult): string {
  if (count === 0) return "no statement was recorded";
  return ofTests > 0
    ? `all ${String(ofTests)} statements were sent by tests themselves, and none by the application`
    : "none of the statements that were recorded reads or changes rows";
}

/** Removes files of an earlier recording whose transactions are gone; other files stay. */
function removeOlder(folder: string, names: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".sql") || names.has(name)) continue;
    const file = path.join(folder, name);
    const read = readTextFileNow(file);
    if (read.ok && read.text.startsWith(LEARNT)) rmSync(file);
  }
}

function dialectOf({ protocol }: RecordedServer): string {
  return protocol === "postgres" ? "postgres" : "mariadb";
}

function levelName(server: RecordedServer, level: string | undefined): string {
  const { protocol } = server;
  return `${dialectOf(server)}:${(level ?? USUAL_LEVEL[protocol]).replaceAll(" ", "-")}`;
}
