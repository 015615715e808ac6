import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recogniseFormat, type FormatName } from "../../../../server/src/history/formats/format";
import { looksLikeHistory } from "../../../../server/src/protocol/historyText";
import { check, read } from "./reading";

describe("a format is recognised by its first bytes", () => {
  const cases: readonly (readonly [string, FormatName | undefined])[] = [
    ["w(1,2,3,4)\n", "text"],
    ["\n\n r(-1,2,3,4)", "text"],
    ["r 1 2\n", "awdit"],
    ["-----\nr 1 2", "awdit"],
    ["[x:=1 y==2]\n---\n[x==?]!", "dbcop-hist"],
    ["// a comment\n---\n[ x:=1 ]", "dbcop-hist"],
    ["[[]]", "dbcop-json"],
    ["[]", "dbcop-json"],
    ['[\n  [\n {"events": []', "dbcop-json"],
    ['{"params": {"id": 0}, "info": "", "data": [[]]}', "dbcop-json"],
    ['{"format": "isolens-history", "version": 1, "sessions": []}', "json"],
    ['{"session": 1, "ops": [{"r": ["x", 1]}]}\n', "json"],
    ["{:type :ok, :value []}", "elle"],
    ["; a test\n[{:index 0\n :type :invoke}]", "elle"],
    ["#jepsen.history.Op{:index 0}", "elle"],
    ["{ , :f :txn}", "elle"],
    ["", undefined],
    ["hello", undefined],
    ['{"name": "x"}', undefined],
    ["SELECT 1", undefined],
    ["[1, 2]", undefined],
    ["\u0000\u0000\u0000", undefined],
  ];
  for (const [text, format] of cases) {
    it(JSON.stringify(text), () => {
      assert.equal(recogniseFormat(new TextEncoder().encode(text)), format);
    });
  }

  it("offers only what is certainly a history", () => {
    assert.ok(looksLikeHistory("w(1,1,1,1)\n"));
    assert.ok(looksLikeHistory("{:index 1, :type :invoke, :process 2}"));
    for (const text of ["-----\ntitle: x", "[[1, 2], [3]]", "{:a 1}", "[]", "r 1"])
      assert.ok(!looksLikeHistory(text), text);
  });
});

describe("text of PolySI", () => {
  it("reads operations of transactions, wherever they stand", () => {
    check("w(1,5,7,10)\nr(1,5,8,11)\nw(2,0,7,10)\r\n\n  r( 2 , 0 , 7 , 12 )", [
      "7 T10: w 1=5@1 w 2=0@3",
      "7 T12: r 2=0@5",
      "8 T11: r 1=5@2",
    ]);
  });
  it("keeps 64 bits and more", () => {
    check(
      "w(9223372036854775807,-9223372036854775808,1,1)\nw(18446744073709551616,9007199254740993,1,2)\n",
      [
        "1 T1: w 9223372036854775807=-9223372036854775808@1",
        "1 T2: w 18446744073709551616=9007199254740993@2",
      ],
    );
  });
  it("takes transaction -1 as aborted writes", () => {
    check("w(1,1,1,-1)\nr(1,1,2,3)\nr(9,9,1,-1)\n", [
      "1 aborted writes of session 1: f 1=1@1 (aborted)",
      "2 T3: r 1=1@2",
    ]);
  });
  it("refuses anything else, with its line", () => {
    check(
      "w(1,1,1,1)\nhello\n",
      /^line 2: expected r\(key,value,session,transaction\).*found "hello"/u,
    );
    check("w(1,1,1,1)\nw(1,2,1", /^line 2: .*found "w\(1,2,1"/u);
    check("w(1,1,1,1)\nr(a,2,1,1)\n", /^line 2: /u);
    check("w(1,1,1,1)r(1,1,1,1)\n", /^line 1: /u);
    check("w(1,1,1,1)\n[x:=1]\n", /^line 2: /u);
  });
  it("refuses a transaction in two sessions", () => {
    check("w(1,1,1,1)\nw(1,2,2,1)\n", /^line 2: expected transaction 1 in one session only/u);
    check("w(1,1,1,-7)\nw(1,2,2,-7)\n", /^line 2: expected transaction -7 in one session only/u);
  });
});

describe("test text of AWDIT", () => {
  it("reads transactions and sessions", () => {
    check("w 0 0\nw 1 0\n=====\nw 0 1\n-----\nr 0 1\n=====\nr 1 0", [
      "1 S1.1: w 0=0@1 w 1=0@2",
      "2 S2.1: w 0=1@4",
      "2 S2.2: r 0=1@6",
      "3 S3.1: r 1=0@8",
    ]);
  });
  it("refuses anything else, with its line", () => {
    check("w 0 0\nx 1 0\n", /^line 2: expected "r KEY VALUE".*found "x 1 0"/u);
    check("w 0 0\nr(1,1,1,1)\n", /^line 2: /u);
    check("w 0 0\nw 1\n", /^line 2: /u);
  });
});

describe(".hist text of dbcop", () => {
  it("reads transactions and sessions", () => {
    check("// run\n[x:=1 y==?] [x==1]!\n---\n[z==3\n a_1:=4]\n", [
      "1 S1.1: w x=1@2 r y=nil@2",
      "1 S1.2: r x=1@2 (aborted)",
      "2 S2.1: r z=3@4 w a_1=4@5",
    ]);
  });
  it("refuses anything else, with its line", () => {
    check("[x:=1]\n[y=1]\n", /^line 2: expected "x:=1", "x==1", "x==\?" or "\]", found "y=1\]"/u);
    check("[x:=1]\nx:=2\n", /^line 2: expected "\[", "---" or "\/\/"/u);
    check("[x:=1\n\n", /^line 1: the file ends inside this transaction/u);
    check("[x:=1 [y:=2]]\n", /^line 1: expected "\]" before/u);
    check("[x:=?]\n", /only reads can have/u);
  });
});

describe("EDN of Elle", () => {
  it("reads lists, with sessions by process", () => {
    check(
      `{:type :invoke, :process 0, :f :txn, :value [[:append 1 2] [:r 1 nil]]}
{:type :invoke, :process 1, :f :txn, :value [[:r 1 nil]]}
{:type :ok, :process 1, :f :txn, :value [[:r 1 nil]]}
{:type :ok, :process 0, :f :txn, :value [[:append 1 2] [:r 1 [2]]]}
`,
      ["0 S0.1: a 1=2@4 r 1=[2]@4", "1 S1.1: r 1=[]@3"],
    );
  });
  it("reads registers; nil is what was there at the start", () => {
    check('{:type :ok :process 3 :value [[:w :x 2] [:r "x" nil] [:r :x 2N]]} ; end', [
      '3 S3.1: w :x=2@1 r "x"=nil@1 r :x=2@1',
    ]);
  });
  it("keeps failed and unknown transactions apart, and those that never returned", () => {
    check(
      `{:type :invoke :process 0 :value [[:w 1 1] [:r 2 nil]]}
{:type :fail :process 0 :value nil :error "x } y"}
{:type :invoke :process 1 :value [[:w 1 2]]}
{:type :info :process 1 :value [[:w 1 2]]}
{:type :info :process :nemesis :f :kill :value {:a 1}}
{:type :invoke :process 2 :value [[:w 1 3]]}
`,
      ["0 S0.1: w 1=1@2 (aborted)", "1 S1.1: w 1=2@4 (unknown)", "2 S2.1: w 1=3@6 (unknown)"],
    );
  });
  it("reads a vector of maps, tags and other spellings", () => {
    check(
      "[#jepsen.history.Op{:type :ok, :process 0,\n  :value [[:append 5 #_ 7 1]]},\n {:value [[:r 5 [1]]], :process 1 :type :ok}]",
      ["0 S0.1: a 5=1@1", "1 S1.1: r 5=[1]@3"],
    );
  });
  it("gives each operation without a process a session of its own", () => {
    check("{:type :ok :value [[:w 1 1]]}\n{:type :ok :value [[:r 1 1]]}", [
      "1 S1.1: w 1=1@1",
      "2 S2.1: r 1=1@2",
    ]);
  });
  it("takes the order of lines as time, and says when :time runs backwards", () => {
    const history = read(
      "{:type :invoke :process 0 :time 5 :value [[:w 1 1]]}\n{:type :ok :process 0 :time 3 :value [[:w 1 1]]}\n",
    );
    assert.ok("begin" in history);
    assert.deepEqual([history.begin?.[0], history.end?.[0]], [1, 2]);
    assert.match(history.problems[0]?.message ?? "", /:time runs backwards, from 5 to 3/u);
    assert.equal(history.problems[0]?.place, 2);
  });
  it("refuses what it does not understand, with its line", () => {
    check(
      "{:type :ok :process 0 :value [[:w 1 1]]}\n{:type :ok",
      /^line 2: the file ends inside "\{:type :ok"/u,
    );
    check(
      "{:type :ok :process 0 :value [[:cas 1 [1 2]]]}",
      /^line 1: expected \[:append KEY ELEMENT\].*\[:cas 1 \[1 2\]\]/u,
    );
    check("{:type :ok :process 0 :f :read :value 3}", /expected :f :txn, found :read/u);
    check("{:type :maybe :process 0 :value []}", /expected :type to be/u);
    check(
      "{:type :ok :process 0 :value [[:w 1 1]]}\n\n{:type :ok :process 0 :value [[:append 1 1]]}",
      /^line 3: .*a file is one of the two/u,
    );
    check(
      "{:type :invoke :process 0 :value []}\n{:type :invoke :process 0 :value []}",
      /^line 2: process 0 invokes again before the operation of line 1/u,
    );
    check("{:type :invoke :value []}\n{:type :invoke :value []}", /^line 2: .*without :process/u);
    check("{:type :ok :process 0 :value 3}", /expected :value/u);
    check("{:type}", /a map with a key and no value/u);
    check("{:type :ok :process 0 :value [[:w 1 1]]}\nw(1,1,1,1)\n", /^line 2: /u);
    check(`{:a ${"[".repeat(200)}${"]".repeat(200)}}`, /more than 100 brackets/u);
    check("[{:type :ok :process 0 :value [[:w 1 1]]}", /the file ends early/u);
  });
});
