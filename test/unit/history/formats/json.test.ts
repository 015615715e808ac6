import { describe, it } from "node:test";
import { check } from "./reading";

const wrap = (sessions: string): string =>
  `{"format": "isolens-history", "version": 1, "sessions": ${sessions}}`;

describe("our own JSON", () => {
  it("reads one object", () => {
    check(
      wrap(`[[
        {"id": "t1", "status": "committed", "begin": 12, "end": 30.5,
         "ops": [{"r": ["account:1", 100]}, {"w": ["account:1", 40]}]},
        {"id": 7, "ops": [{"r": [1, null]}, {"a": ["1", 12345678901234567890]}, {"r": ["1", [12345678901234567890]]}]}],
        [{"status": "aborted", "ops": [{"w": ["x", "y"]}]}, {"status": "unknown", "ops": []}]]`),
      [
        "1 t1: r account:1=100@2 w account:1=40@2",
        "1 T7: r 1=nil@4 a 1=12345678901234567890@4 r 1=[12345678901234567890]@4",
        "2 S2.1: w x=y@5 (aborted)",
        "2 S2.2:  (unknown)",
      ],
    );
  });
  it("reads one transaction a line, after a header or without", () => {
    const lines =
      '{"session": "a", "id": 1, "ops": [{"w": ["x", 1]}]}\n{"session": 2, "ops": [{"r": ["x", 1]}]}\n';
    const expected = (first: number): readonly string[] => [
      `a T1: w x=1@${String(first)}`,
      `2 S2.1: r x=1@${String(first + 1)}`,
    ];
    check(lines, expected(1));
    check(`{"format": "isolens-history", "version": 1}\n${lines}`, expected(2));
  });
  it("refuses names and keys that mean two things", () => {
    const line = (session: number, id: string): string =>
      `{"session": ${String(session)}, "id": ${id}, "ops": []}\n`;
    check(line(1, '"a"') + line(1, '"a"'), /^line 2: expected an "id" of its own, and a is/u);
    check(line(1, "7") + line(2, "7"), /^line 2: expected an "id" of its own/u);
    const both = (first: string, second: string): string =>
      `{"session": 1, "ops": [${first}]}\n{"session": 1, "ops": [${second}]}`;
    check(both('{"w": ["x", 1]}', '{"a": ["x", 2]}'), /^line 2: key x is a list in one place/u);
    check(both('{"r": ["x", [1]]}', '{"r": ["x", 1]}'), /^line 2: key x is a list in one place/u);
    check(both('{"r": ["x", null]}', '{"a": ["x", 1]}'), ["1 S1.1: r x=nil@1", "1 S1.2: a x=1@2"]);
  });
  it("refuses what it does not understand, with its line", () => {
    const transaction = (members: string): string => wrap(`[[\n{${members}}]]`);
    check(transaction('"ops": 3'), /^line 2: expected "ops" with a list/u);
    check(transaction('"ops": [{"x": ["a", 1]}]'), /^line 2: expected \{"r": \[KEY, VALUE\]\}/u);
    check(transaction('"ops": [{"w": ["a"]}]'), /^line 2: expected/u);
    check(transaction('"ops": [{"w": ["a", 1.5]}]'), /^line 2: expected/u);
    check(transaction('"ops": [{"w": ["a", 1], "r": ["a", 1]}]'), /^line 2: expected/u);
    check(transaction('"status": "done", "ops": []'), /expected "status"/u);
    check(transaction('"begin": "now", "ops": []'), /expected "begin" and "end" to be numbers/u);
    check(transaction('"id": [], "ops": []'), /expected "id"/u);
    check('{"format": "isolens-history", "version": 2, "sessions": []}', /expected version 1/u);
    check('{"format": "isolens-history", "version": 1, "sessions": [[', /the file ends inside/u);
    check('{"format": "isolens-history", "version": 1, "sessions": [[]', /the file ends inside/u);
    check('{"format": "isolens-history", "version": 1, "sessions": [{}]}', /unexpected \{/u);
    check('{"format": "isolens-history", "version": 1,, "sessions": []}', /unexpected ,/u);
    check('{"format": "isolens-history", "version": 1,}', /unexpected \}/u);
    check('{"format": "isolens-history", "format": "x"}', /stands there twice/u);
    check('{"ops": []}', /expected "session"/u);
    check('{"session": 1, "ops": []}\n{"ops" []}', /^line 2: unexpected \[/u);
    check('{"session": 1, "ops": []}\nw(1,1,1,1)', /^line 2: expected a JSON value, found "w"/u);
    check('{"session": 1, "ops": [tru]}', /expected a JSON value, found "tru"/u);
    check('{"session": 1, "ops": [01]}', /expected a JSON value/u);
    check(`{"session": 1, "ops": ${"[".repeat(200)}`, /more than 100 brackets/u);
  });
});

describe("JSON of dbcop", () => {
  it("reads sessions, bare and wrapped, in both spellings of events", () => {
    const sessions = `[[{"events": [{"Write": {"variable": 0, "version": 1}}, {"Read": {"variable": 1, "version": null}}], "committed": true},
 {"events": [["r", 0, 1], ["w", 0, 2]], "committed": false}], []]`;
    const expected = ["1 S1.1: w 0=1@1 r 1=nil@1", "1 S1.2: r 0=1@2 w 0=2@2 (aborted)"];
    check(sessions, expected);
    check(
      `{"params": {"id": 0}, "info": "", "start": "x", "end": "y", "data": ${sessions}}`,
      expected,
    );
    check("[[]]", []);
  });
  it("refuses names and keys that mean two things", () => {
    const line = (session: number, id: string): string =>
      `{"session": ${String(session)}, "id": ${id}, "ops": []}\n`;
    check(line(1, '"a"') + line(1, '"a"'), /^line 2: expected an "id" of its own, and a is/u);
    check(line(1, "7") + line(2, "7"), /^line 2: expected an "id" of its own/u);
    const both = (first: string, second: string): string =>
      `{"session": 1, "ops": [${first}]}\n{"session": 1, "ops": [${second}]}`;
    check(both('{"w": ["x", 1]}', '{"a": ["x", 2]}'), /^line 2: key x is a list in one place/u);
    check(both('{"r": ["x", [1]]}', '{"r": ["x", 1]}'), /^line 2: key x is a list in one place/u);
    check(both('{"r": ["x", null]}', '{"a": ["x", 1]}'), ["1 S1.1: r x=nil@1", "1 S1.2: a x=1@2"]);
  });
  it("refuses what it does not understand, with its line", () => {
    check('[[{"events": [], "committed": 1}]]', /expected "committed" to be true or false/u);
    check('[[{"events": [{"Cas": {}}], "committed": true}]]', /expected \{"Read"/u);
    check('[[{"events": [["w", 0, null]], "committed": true}]]', /expected \{"Read"/u);
    check("[[3]]", /expected a transaction/u);
    check('[[{"events": [], "committed": true}]\n', /the file ends inside/u);
    check("[[]] 3", /unexpected a number/u);
  });
});
