// A key-value store of texts in a folder, safe for several processes: files appear by renaming and never change. Damaged entries are
// ignored, the folder may be deleted at any time, and no disk error is thrown.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { reasonOf } from "../../protocol/fault";

export interface CacheFiles {
  /** The stored text of a key. */
  get(key: string): string | undefined;
  /** Stores a text without line breaks; `flush` writes it. */
  set(key: string, text: string): void;
  /** Writes new entries and keeps the folder within its bounds. */
  flush(): void;
  /** Notes, in sentences, on entries that were discarded or could not be written; each is returned once. */
  takeNotes(): readonly string[];
}

export interface CacheBounds {
  readonly bytes: number;
  readonly files: number;
}

/**
 * Opens a folder of small texts that are written and read together: one file per flush, all of them read at the first `get`. The `prefix`
 * separates this cache's files from others in the folder.
 */
export function openPackedFiles(folder: string, prefix: string, bounds: CacheBounds): CacheFiles {
  const state: Packs = { folder, prefix, bounds, lines: undefined, files: [], notes: new Set() };
  const fresh = new Map<string, string>();
  const used = new Set<string>();
  return {
    get: (key) => {
      const name = nameOf(key);
      const line = fresh.get(name) ?? load(state).get(name);
      if (line === undefined) return undefined;
      const text = textOf(line);
      if (text === undefined) {
        state.notes.add(`a damaged entry of the cache in ${folder} was not used`);
        load(state).delete(name);
      } else used.add(name);
      return text;
    },
    set: (key, text) => {
      const name = nameOf(key);
      fresh.set(name, lineOf(name, text));
    },
    flush: () => {
      if (fresh.size === 0) return;
      const known = load(state);
      const bytes = [...fresh.values()].reduce((sum, line) => sum + line.length, 0);
      const before = state.files.reduce((sum, file) => sum + file.bytes, 0);
      const full = bytes + before > bounds.bytes || state.files.length >= bounds.files;
      const kept = full ? newest(known, used, bounds.bytes / 2) : [];
      const lines = [...kept.filter(([name]) => !fresh.has(name)), ...fresh];
      const written = write(state, `${HEADER}\n${lines.map(([, line]) => `${line}\n`).join("")}`);
      for (const [name, line] of fresh) known.set(name, line);
      fresh.clear();
      if (written === undefined) return;
      const old = full ? state.files : [];
      for (const { name } of old) if (name !== written.name) remove(path.join(folder, name));
      state.files = [...(full ? [] : state.files), written];
    },
    takeNotes: () => takeAll(state.notes),
  };
}

/** Opens a folder of larger texts, each in its own file that is read on demand. */
export function openSingleFiles(folder: string, prefix: string, bounds: CacheBounds): CacheFiles {
  const state: Packs = { folder, prefix, bounds, lines: undefined, files: [], notes: new Set() };
  const fresh = new Map<string, string>();
  return {
    get: (key) => {
      const name = nameOf(key);
      const file = path.join(folder, `${prefix}-${name}${ENDING}`);
      const content = fresh.has(name) ? undefined : read(file);
      const [header, line] = content?.split("\n") ?? [HEADER, fresh.get(name)];
      if (line === undefined && header === HEADER) return undefined;
      const text = header === HEADER && line?.startsWith(name) ? textOf(line) : undefined;
      if (text === undefined) {
        state.notes.add(`a damaged file of the cache was discarded: ${file}`);
        remove(file);
      } else touch(file);
      return text;
    },
    set: (key, text) => {
      const name = nameOf(key);
      fresh.set(name, lineOf(name, text));
    },
    flush: () => {
      for (const [name, line] of fresh) write(state, `${HEADER}\n${line}\n`, name);
      if (fresh.size > 0) evict(state);
      fresh.clear();
    },
    takeNotes: () => takeAll(state.notes),
  };
}

interface PackFile {
  readonly name: string;
  readonly bytes: number;
  readonly time: number;
}

interface Packs {
  readonly folder: string;
  readonly prefix: string;
  readonly bounds: CacheBounds;
  /** Entries by name, oldest first; undefined until the first access. */
  lines: Map<string, string> | undefined;
  files: readonly PackFile[];
  readonly notes: Set<string>;
}

/** The format version. */
const HEADER = "isolens-cache 1";
const ENDING = ".txt";

/** A line: name, checksum, text. */
function lineOf(name: string, text: string): string {
  return `${name} ${sha(`${name} ${text}`)} ${text}`;
}

function textOf(line: string): string | undefined {
  const [name = "", checksum = ""] = line.slice(0, 2 * HASH + 2).split(" ");
  const text = line.slice(name.length + checksum.length + 2);
  return sha(`${name} ${text}`) === checksum ? text : undefined;
}

const HASH = 32;

function nameOf(key: string): string {
  return sha(key);
}

function sha(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH);
}

function load(state: Packs): Map<string, string> {
  if (state.lines !== undefined) return state.lines;
  const lines = new Map<string, string>();
  const files: PackFile[] = [];
  for (const file of ownFiles(state)) {
    const full = path.join(state.folder, file.name);
    const [header, ...rest] = read(full)?.split("\n") ?? [HEADER];
    if (header !== HEADER) {
      state.notes.add(`a file of the cache is not readable and was discarded: ${full}`);
      remove(full);
      continue;
    }
    files.push(file);
    for (const line of rest) if (line.length > 2 * HASH) lines.set(line.slice(0, HASH), line);
  }
  state.lines = lines;
  state.files = files;
  return lines;
}

/** The entries to keep in a full folder: those used in this run, then the newest. */
function newest(
  lines: ReadonlyMap<string, string>,
  used: ReadonlySet<string>,
  bytes: number,
): readonly (readonly [string, string])[] {
  const byWorth = [...lines]
    .reverse()
    .sort(([a], [b]) => Number(used.has(b)) - Number(used.has(a)));
  let sum = 0;
  return byWorth.filter(([, line]) => (sum += line.length) <= bytes).reverse();
}

/** The files of this cache, oldest first. Other files in the folder are left alone. */
function ownFiles(state: Packs): readonly PackFile[] {
  const pattern = new RegExp(`^${state.prefix}-[0-9a-f]{${String(HASH)}}\\${ENDING}$`, "u");
  return entries(state.folder)
    .filter((name) => pattern.test(name))
    .flatMap((name) => {
      const stat = fs.statSync(path.join(state.folder, name), { throwIfNoEntry: false });
      return stat ? [{ name, bytes: stat.size, time: stat.mtimeMs }] : [];
    })
    .sort((a, b) => a.time - b.time || (a.name < b.name ? -1 : 1));
}

/** Writes a file under its final name atomically: readers see all of it or nothing. */
function write(state: Packs, content: string, name = sha(content)): PackFile | undefined {
  const final = `${state.prefix}-${name}${ENDING}`;
  const temporary = path.join(state.folder, `${final}.${String(process.pid)}.tmp`);
  try {
    fs.mkdirSync(state.folder, { recursive: true, mode: 0o700 });
    fs.writeFileSync(temporary, content, { mode: 0o600 });
    fs.renameSync(temporary, path.join(state.folder, final));
    return { name: final, bytes: Buffer.byteLength(content), time: Date.now() };
  } catch (error) {
    state.notes.add(`results cannot be kept in ${state.folder}: ${reasonOf(error)}`);
    remove(temporary);
    return undefined;
  }
}

function evict(state: Packs): void {
  const files = [...ownFiles(state)];
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  while (files.length > state.bounds.files || bytes > state.bounds.bytes) {
    const oldest = files.shift();
    if (oldest === undefined) return;
    bytes -= oldest.bytes;
    remove(path.join(state.folder, oldest.name));
  }
}

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    // The file is gone or unreadable: no entry.
    return undefined;
  }
}

function entries(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    // The folder is missing or unreadable: an empty cache.
    return [];
  }
}

function touch(file: string): void {
  const now = new Date();
  try {
    fs.utimesSync(file, now, now);
  } catch {
    // The time only decides which files are evicted first.
  }
}

function remove(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // Another process may hold the file; it is found damaged again or evicted later.
  }
}

function takeAll(notes: Set<string>): readonly string[] {
  const all = [...notes];
  notes.clear();
  return all;
}
