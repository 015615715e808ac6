// What a newcomer reads first of every example program: harm, loudness and title of each cause, without the numbers.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { it } from "node:test";
import { isShown } from "../../server/src/protocol/report";
import { isolens, reportsOf } from "./cli";
import { matchSnapshot } from "./snapshot";

const APPS = path.join(__dirname, "../apps");

it("says what happens to the data in every example program", async () => {
  const parts: string[] = [];
  for (const app of readdirSync(APPS).sort()) {
    const result = await isolens(["check", app, "--format", "json"], { cwd: APPS });
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
