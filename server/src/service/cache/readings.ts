// Function summaries cached on disk between runs: one file per project, decoded on demand. `frontend/code/queries/persistence.ts` decides
// which are still valid.
import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { attribute } from "../../query/nodes";
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
  /** Saves the summaries: of a whole reading, in place of all that was cached. Yields after each file and writes at the end. */
  save(all: Iterable<FileReadings>, isWhole: boolean): Generator<void, void, void>;
}

/** The summaries of a file, before and after tables were inferred. */
interface FileReadings {
  readonly file: FileId;
  readonly readings: readonly LastingFile[];
}

export interface ReadingFiles {
  /** The cached summaries of the project with this key, loaded at the first use. */
  readonly of: (project: string) => KeptReadings;
  /** Notes on entries that were discarded or could not be written. */
  readonly takeNotes: () => readonly string[];
}

/** Disk limits per user. */
const KEPT: CacheBounds = { bytes: 128_000_000, files: 24 };

/** Opens the cached summaries of a folder. Those of other builds are ignored. */
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

/** A short hash of a text, long enough that collisions do not happen in practice. */
export function digestOf(text: string): string {
  return createHash("sha1").update(text).digest("base64").slice(0, DIGEST);
}

const DIGEST = 20;

/** The parts of a file's summaries: the facts they depend on, and the results. */
type Encoded = readonly [basis: Buffer, facts: Buffer, rounds: Buffer];

const encoded = attribute<LastingFile, Encoded>();

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

/** The checksum proves that `packed` wrote this content. */
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
  // The shape that `encodedOf` wrote.
  const lasting: LastingFile = {
    basis: decode(basis) as LastingBasis,
    facts: () => decode(facts) as LastingFacts,
    rounds: () => decode(rounds) as readonly LastingRound[],
  };
  encoded.set(lasting, own);
  return lasting;
}
