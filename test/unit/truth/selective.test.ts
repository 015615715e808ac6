// Selective serializability (Nagar and Jagannathan, CONCUR 2018, section 6): Courseware with stronger guarantees for some
// transactions and pairs only.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SerializablePair } from "../../../server/src/isolation/mixedLevels";
import { analyse, app, sql, tuples } from "./analyse";

/** All pairs that need it beside two enrolments, which the level of enrolments takes care of. */
const PAIRS: readonly SerializablePair[] = [
  ["enroll", "remove_course"],
  ["enroll", "remove_student"],
  ["add_course", "add_course"],
  ["add_student", "add_student"],
  ["add_course", "remove_course"],
  ["add_student", "remove_student"],
  ["remove_course", "remove_course"],
  ["remove_student", "remove_student"],
];

/** The example's schema and routines; enrolments look at student and course first, and count places on the course. */
function courseware(level: string): string {
  const texts = app("courseware").map((file) => file.text);
  const others = texts.join("\n").split(/(?=CREATE FUNCTION )/u);
  const kept = others.filter((part) => !part.startsWith("CREATE FUNCTION enroll"));
  assert.equal(kept.length, others.length - 1);
  const schema = kept.filter((part) => part.includes("CREATE TABLE"));
  const routines = kept.filter((part) => !schema.includes(part));
  return `${schema.join("\n")}${routines.join("\n")}
-- @isolens level ${level}
CREATE FUNCTION enroll(student integer, course integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  known integer;
  places integer;
BEGIN
  SELECT count(*) INTO known FROM student s WHERE s.id = student;
  SELECT capacity INTO places FROM course c WHERE c.id = course;
  IF NOT FOUND OR known = 0 THEN
    RETURN false;
  END IF;
  IF places <= 0 THEN
    RETURN false;
  END IF;
  UPDATE course SET capacity = places - 1 WHERE id = course;
  INSERT INTO enrolment (student_id, course_id) VALUES (student, course);
  RETURN true;
END $$;`;
}

test("Courseware, enrolments at PSI: only a long fork of four remains, and nobody notices it", async () => {
  const text = courseware("parallel-snapshot-isolation");
  const report = await analyse([sql(text)], "eventual", 4, 1, PAIRS);
  assert.deepEqual(report.unknown, []);
  assert.deepEqual(tuples(report), ["add_course+add_student+enroll+enroll"]);
  assert.deepEqual(
    report.anomalies.map(({ kind, severity, status }) => [kind, severity, status]),
    [["long-fork", "unused", "confirmed"]],
  );
});

test("Courseware, enrolments at SI: nothing among four", async () => {
  const report = await analyse([sql(courseware("snapshot-isolation"))], "eventual", 4, 1, PAIRS);
  assert.equal(report.verdict, "safe");
  assert.deepEqual(report.rests, { bound: 4 });
});

test("Courseware without the pairs: each of them is needed", async () => {
  const text = courseware("parallel-snapshot-isolation");
  const report = await analyse([sql(text)], "eventual", 2);
  const found = tuples(report);
  for (const pair of ["add_course+add_course", "enroll+remove_course", "enroll+remove_student"])
    assert.ok(found.includes(pair), `${pair} among ${found.join()}`);
  assert.ok(!found.includes("enroll+enroll"));
});

test("row 12: Courseware, enrolments at SI: the chain that keeps it from being proved is named", async () => {
  const text = courseware("snapshot-isolation");
  const report = await analyse([sql(text)], "read-atomic", 2, 1, PAIRS, { prove: true });
  assert.equal(report.verdict, "safe");
  assert.equal(report.proof?.status, "blocked");
  const chains = report.proof.obstacles.map(({ chain }) => chain.join(" -> "));
  // An enrolment that another one follows, and that missed the new student.
  assert.deepEqual(chains, ["enroll -> enroll -> add_student"]);
});
