// The faces by name. Each is loaded when it is asked for, since some bring the whole product with them.
import type { Face } from "./face";

const PROGRAMS = [
  ...[
    "sql-postgres",
    "sql-mysql",
    "migrations",
    "prisma",
    "typescript",
    "javascript",
    "java",
    "check",
  ],
];
const FILES = ["history", "configuration", "baseline", "level", "client"];
const WIRES = ["wire-postgres", "wire-mysql"];

export const FACE_NAMES: readonly string[] = [...FILES, ...WIRES, ...PROGRAMS, "lsp"];

/** The face of that name. Throws where there is none. */
export async function loadFace(name: string): Promise<Face> {
  const found = (await facesBeside(name)).get(name);
  if (found === undefined) throw new Error(`there is no face ${name}`);
  return found;
}

async function facesBeside(name: string): Promise<ReadonlyMap<string, Face>> {
  if (PROGRAMS.includes(name)) return (await import("./codeFaces")).CODE_FACES;
  if (FILES.includes(name)) return (await import("./fileFaces")).FILE_FACES;
  if (WIRES.includes(name)) return (await import("./wireFaces")).WIRE_FACES;
  return (await import("./lspFace")).LSP_FACES;
}
