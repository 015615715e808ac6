// Compares text with a file under snapshots/. ISOLENS_UPDATE_SNAPSHOTS=1 writes the files instead.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.join(__dirname, "snapshots");

export function matchSnapshot(name: string, text: string): void {
  const file = path.join(FOLDER, name);
  if (process.env["ISOLENS_UPDATE_SNAPSHOTS"] === "1") {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, text);
    return;
  }
  assert.equal(
    text,
    readFileSync(file, "utf8"),
    `${name} differs; ISOLENS_UPDATE_SNAPSHOTS=1 accepts it`,
  );
}
