// Compiles the agent that tells call sites of Java and writes it as text, so that the bundle holds it and a build needs no
// JDK: npm run build:agent, after a change of server/src/record/hooks/java. It needs a JDK (17 or newer).
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Buffer } from "node:buffer";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const hooks = path.join(path.dirname(fileURLToPath(import.meta.url)), "../server/src/record/hooks");
const sources = path.join(hooks, "java/isolens");
const files = readdirSync(sources)
  .sort()
  .map((name) => path.join(sources, name));

const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-agent-"));
const classes = path.join(folder, "classes");
execFileSync("javac", [
  ...["--release", "8", "-Xlint:-options", "-g:none", "-d", classes],
  ...files,
]);
const manifest = path.join(folder, "manifest");
// The drivers' own loaders find what they call among the classes of the virtual machine.
writeFileSync(manifest, "Premain-Class: isolens.Agent\nBoot-Class-Path: isolens.jar\n");
const jar = path.join(folder, "isolens.jar");
execFileSync("jar", [
  ...["--create", "--file", jar, "--manifest", manifest, "--date=2020-01-01T00:00:00Z"],
  ...["-C", classes, "isolens"],
]);
const digest = createHash("sha256");
for (const file of files) digest.update(readFileSync(file));
const encoded = Buffer.from(readFileSync(jar)).toString("base64");
const lines = (encoded.match(/.{1,120}/gu) ?? []).map((line) => `  "${line}",`);
writeFileSync(
  path.join(hooks, "javaAgent.ts"),
  `// The agent of \`java/\` as a jar; made by packaging/javaAgent.mjs.

/** Digest of the sources that it was made of. */
export const AGENT_SOURCES = "${digest.digest("hex")}";

/** The jar in base64. */
export const AGENT = [
${lines.join("\n")}
].join("");
`,
);
rmSync(folder, { recursive: true });
