// The documents say what the data says: generated parts are up to date, links lead somewhere, rooms have their README.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import manifest from "../../../package.json";
import { GENERATED, ROOT, regenerated } from "../../tools/documents";

const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const within = (folder: string): readonly string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((each) => each.endsWith(".md"))
    .map((each) => `${folder}/${each}`);

const ROOMS = within("server/src");
const DOCUMENTS = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "client/README.md",
  "webview/README.md",
  ...within("docs"),
  ...ROOMS,
].sort();

/** As a heading is linked to. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/gu, "-");
}

function anchorsOf(file: string): ReadonlySet<string> {
  return new Set([...read(file).matchAll(/^#+ (.*)$/gmu)].map(([, title = ""]) => anchorOf(title)));
}

describe("documents", () => {
  for (const file of GENERATED) {
    it(`${file} has what the data says (npm run docs)`, async () => {
      const text = read(file);
      assert.ok(text.includes("<!-- generated: "), file);
      assert.equal(text, await regenerated(text));
    });
  }

  it("links to files and headings that are there", () => {
    const broken = DOCUMENTS.flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)\s]+)\)/gu)].flatMap(([, link = ""]) => {
        if (/^[a-z]+:/u.test(link)) return [];
        const [to = "", heading] = link.split("#");
        const target = to === "" ? file : path.join(path.dirname(file), to);
        if (!existsSync(path.join(ROOT, target))) return [`${file}: ${link}`];
        const isMissing = heading !== undefined && !anchorsOf(target).has(heading);
        return isMissing ? [`${file}: ${link}`] : [];
      }),
    );
    assert.deepEqual(broken, []);
  });

  it("are found from the README or from another document", () => {
    const linked = new Set(
      DOCUMENTS.flatMap((file) =>
        [...read(file).matchAll(/\]\(([^)\s#]+\.md)/gu)].map(([, link = ""]) =>
          path.join(path.dirname(file), link),
        ),
      ),
    );
    const lost = DOCUMENTS.filter((file) => file.startsWith("docs/") && !linked.has(file));
    assert.deepEqual(lost, []);
  });

  it("names files and folders of the sources that are there", () => {
    const broken = ["ARCHITECTURE.md", ...ROOMS].flatMap((file) => {
      const folder = path.dirname(file);
      const roots = [folder, "server/src", "server/src/frontend", "test/unit", ""];
      return [...read(file).matchAll(/`([\w./-]+(?:\.ts|\/))`/gu)].flatMap(([, name = ""]) =>
        roots.some((root) => existsSync(path.join(ROOT, root, name))) ||
        isBelow(path.join(ROOT, file === "ARCHITECTURE.md" ? "server/src" : folder), name) ||
        isBelow(path.join(ROOT, "test/unit"), name)
          ? []
          : [`${file}: ${name}`],
      );
    });
    assert.deepEqual(broken, []);
  });

  it("of each folder of server/src are there, and at most 60 lines long", () => {
    for (const room of readdirSync(path.join(ROOT, "server/src"))) {
      if (!statSync(path.join(ROOT, "server/src", room)).isDirectory()) continue;
      assert.ok(ROOMS.includes(`server/src/${room}/README.md`), room);
    }
    for (const file of ROOMS) assert.ok(read(file).split("\n").length <= 61, file);
    assert.ok(read("README.md").split("\n").length <= 130);
    assert.ok(read("ARCHITECTURE.md").split("\n").length <= 210);
  });

  it("name scripts that npm has", () => {
    for (const file of DOCUMENTS) {
      for (const [, script = ""] of read(file).matchAll(/npm run (?:-s )?([\w:]+)/gu)) {
        assert.ok(Object.hasOwn(manifest.scripts, script), `${file}: npm run ${script}`);
      }
    }
  });

  it("name rooms that there are tests of", () => {
    const tests = readdirSync(path.join(ROOT, "test/unit"), { recursive: true, encoding: "utf8" });
    for (const file of DOCUMENTS) {
      for (const [, names = ""] of read(file).matchAll(/npm test -- ([\w/. ]+)/gu)) {
        for (const room of names.trim().split(" ")) {
          const isRoom = tests.some((each) => each === room || each.startsWith(`${room}.`));
          assert.ok(isRoom, `${file}: npm test -- ${room}`);
        }
      }
    }
  });
});

/** True if a file of that name, or path, is anywhere below the folder. */
function isBelow(folder: string, name: string): boolean {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).some(
    (each) => each === name || each.endsWith(`/${name.replace(/\/$/u, "")}`),
  );
}
