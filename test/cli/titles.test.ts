// The page that a newcomer reads first of example programs of each sort: harm, loudness and title of each cause, without the numbers.
import assert from "node:assert/strict";
import path from "node:path";
import { it } from "node:test";
import { isShown } from "../../server/src/protocol/report";
import { isolens, reportsOf } from "./cli";
import { matchSnapshot } from "./snapshot";

const FOLDER = path.join(__dirname, "../apps");
const APPS = ["bank", "courseware", "inventory", "knex-shapes", "micro", "oncall"];

it("says what happens to the data in example programs of each sort", async () => {
  const parts: string[] = [];
  for (const app of APPS) {
    const result = await isolens(["check", app, "--format", "json"], { cwd: FOLDER });
    const lines = reportsOf(result).flatMap(({ anomalies, level }) =>
      anomalies
        .filter((each) => each.status === "confirmed" && isShown(each))
        .map(({ harm, reportedAs = "", title, message, kind }) => {
          assert.doesNotMatch(message, /#T\d|lets both|undefined|\.\.$/u);
          assert.ok(title.length <= 260, title);
          return `  ${reportedAs}, ${harm}, ${kind} at ${level}: ${title.replaceAll(/\d+/gu, "#")}`;
        }),
    );
    parts.push(app, ...lines.sort());
  }
  matchSnapshot("titles.txt", `${parts.join("\n")}\n`);
});
