// Readings of functions, kept on disk from one run to the next: a file per project, whose parts are read where they
// may hold. What tells whether they do is `frontend/code/queries/persistence.ts`.
import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type {
  LastingBasis,
  LastingFacts,
  LastingFile,
  LastingReadings,
  LastingRound,
} from "../../frontend/code/queries/persistence";
import type { FileId } from "../../protocol/source";
import { openSingleFiles, type CacheBounds } from "./files";

/** The readings of one project. */
export interface KeptReadings extends LastingReadings {
  /** Keeps these, of a whole reading instead of all that was kept; gives way after each file, and writes at the end. */
  save(all: Iterable<FileReadings>, isWhole: boolean): Generator<void, void, void>;
}

/** All that is known of a file, before and after tables were inferred. */
interface FileReadings {
  readonly file: FileId;
  readonly readings: readonly LastingFile[];
}

export interface ReadingFiles {
  /** Those of the project that is known by a text. Nothing is read before it is asked for. */
  readonly of: (project: string) => KeptReadings;
  /** Notes on what was discarded or could not be written. */
  readonly takeNotes: () => readonly string[];
}

/** Bounds of what is kept on disk for one user. */
const KEPT: CacheBounds = { bytes: 128_000_000, files: 24 };

/** Readings in a folder. What another build has kept is not found. */
export function openReadings({
  folder,
  build,
}: {
  readonly folder: string;
  readonly build: string;
}): ReadingFiles {
  const files = openSingleFiles(folder, "readings", KEPT);
  return {
    takeNotes: files.takeNotes,
    of: (project) => {
      const key = JSON.stringify(["readings", build, project]);
      let found: ReadonlyMap<FileId, readonly LastingFile[]> | undefined;
      const read = (): ReadonlyMap<FileId, readonly LastingFile[]> => {
        found ??= unpacked(files.get(key));
        return found;
      };
      return {
        find: (file) => read().get(file) ?? [],
        *save(all, isWhole) {
          const own = new Map(isWhole ? [] : read());
          let isKnown = true;
          for (const { file, readings } of all) {
            for (const each of readings) {
              isKnown &&= encoded.has(each);
              encodedOf(each);
            }
            own.set(file, readings);
            yield;
          }
          if (isKnown && own.size === read().size) return;
          files.set(key, packed(own));
          files.flush();
          found = own;
        },
      };
    },
  };
}

/** A text in short, as long as no two of them meet by chance. */
export function digestOf(text: string): string {
  return createHash("sha1").update(text).digest("base64").slice(0, DIGEST);
}

const DIGEST = 20;

/** The parts of a reading: what it follows from, and what it is. */
type Encoded = readonly [basis: Buffer, facts: Buffer, rounds: Buffer];

const encoded = new WeakMap<LastingFile, Encoded>();

function encodedOf(lasting: LastingFile): Encoded {
  const known = encoded.get(lasting);
  if (known) return known;
  const { basis, facts, rounds } = lasting;
  const own = [encode(basis), encode(facts()), encode(rounds())] as const;
  encoded.set(lasting, own);
  return own;
}

function encode(data: unknown): Buffer {
  return deflateRawSync(serialize(data), { level: 1 });
}

function decode(data: Buffer): unknown {
  return deserialize(inflateRawSync(data));
}

/** Lengths of the parts by file, then all parts. */
type Lengths = readonly (readonly [
  file: FileId,
  ...readings: (readonly [basis: number, facts: number, rounds: number])[],
])[];

function packed(all: ReadonlyMap<FileId, readonly LastingFile[]>): string {
  const lengths: Lengths = [...all].map(([file, readings]) => [
    file,
    ...readings.map((each): [number, number, number] => {
      const [basis, facts, rounds] = encodedOf(each);
      return [basis.length, facts.length, rounds.length];
    }),
  ]);
  const parts = [...all.values()].flat().flatMap((each) => [...encodedOf(each)]);
  return `${JSON.stringify(lengths)} ${Buffer.concat(parts).toString("base64")}`;
}

/** Content that `packed` wrote: a checksum says that nobody else did. */
function unpacked(text: string | undefined): ReadonlyMap<FileId, readonly LastingFile[]> {
  if (text === undefined) return new Map();
  const end = text.lastIndexOf(" ");
  const lengths = JSON.parse(text.slice(0, end)) as Lengths;
  const bytes = Buffer.from(text.slice(end + 1), "base64");
  let at = 0;
  const next = (length: number): Buffer => bytes.subarray(at, (at += length));
  return new Map(
    lengths.map(([file, ...readings]) => [
      file,
      readings.map(([basis, facts, rounds]) => lastingOf([next(basis), next(facts), next(rounds)])),
    ]),
  );
}

function lastingOf(own: Encoded): LastingFile {
  const [basis, facts, rounds] = own;
  // As `encodedOf` has them.
  const lasting: LastingFile = {
    basis: decode(basis) as LastingBasis,
    facts: () => decode(facts) as LastingFacts,
    rounds: () => decode(rounds) as readonly LastingRound[],
  };
  encoded.set(lasting, own);
  return lasting;
}
