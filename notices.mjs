// The licenses of the packages that lie in dist/, bundled or copied: their owners ask that these go with the code.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/** Licenses that ask for no more than being told. Another one ends the build until somebody has read it. */
const PERMISSIVE = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "Unlicense",
];

/**
 * The folder of the package that a file belongs to, or undefined for a file of this repository.
 *
 * @param {string} file with slashes
 */
export function packageOf(file) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file)?.[0];
}

/**
 * The text of the notices for packages in these folders, in the order of their names, and what is wrong with them:
 * a license that is not permissive, or none.
 *
 * @param {Iterable<string>} folders
 */
export function noticesOf(folders) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Map<string, string>} */
  const notices = new Map();
  for (const folder of folders) {
    /** @type {{ name: string, version: string, license: string }} */
    const { name, version, license } = JSON.parse(
      readFileSync(path.join(folder, "package.json"), "utf8"),
    );
    const title = `${name} ${version} (${license})`;
    const texts = textsOf(folder);
    if (!PERMISSIVE.includes(license)) {
      problems.push(`${title}: its license is not one of ${PERMISSIVE.join(", ")} (notices.mjs).`);
    }
    if (texts.length === 0) problems.push(`${title}: ${folder} holds no text of a license.`);
    notices.set(title, `${RULE}\n${title}\n${RULE}\n\n${texts.join("\n\n")}\n`);
  }
  const sorted = [...notices].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, notice]) => notice);
  return { text: `${HEAD}\n\n${sorted.join("\n")}`, problems };
}

const RULE = "-".repeat(80);
const HEAD = "Isolens contains these packages, each under its own license.";

/**
 * The files about the license of a package, or else what its README says under that heading.
 *
 * @param {string} folder
 */
function textsOf(folder) {
  /** @param {string} file */
  const read = (file) => readFileSync(path.join(folder, file), "utf8").trim();
  const files = readdirSync(folder).sort();
  const own = files.filter((file) => /^(?:licen[cs]e|copying|notice|thirdparty)/iu.test(file));
  if (own.length > 0) return own.map(read);
  const readme = files.find((file) => /^readme/iu.test(file));
  const said = readme && /^#+ licen[cs]e\s+([^#]+)/imu.exec(read(readme))?.[1]?.trim();
  return said ? [said] : [];
}
