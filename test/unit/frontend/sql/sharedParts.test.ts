// Replacing parts of commands that share expressions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mapSharing } from "../../../../server/src/frontend/sql/dialectDetection/sharedParts";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import type { Expression } from "../../../../server/src/program/expression";
import type { Command } from "../../../../server/src/program/statement";
import type { FileId } from "../../../../server/src/protocol/source";

const start = { line: 0, character: 0 };
const source = { file: "a.ts" as FileId, range: { start, end: start } };
const shared: Expression = { kind: "negate", operand: { kind: "variable", name: "x" } };
const assign = (variable: string, value: Expression): Command => {
  return { kind: "assign", variable, value, source };
};
const body: Command = {
  kind: "sequence",
  commands: [
    assign("a", shared),
    assign("b", shared),
    assign("c", { kind: "variable", name: "y" }),
  ],
};

/** Gives `x` another name. */
function withoutX(part: object): object {
  return "name" in part && part.name === "x" ? { ...part, name: "z" } : part;
}

void test("a part that several share is replaced once, and shared afterwards", () => {
  const after = mapSharing(body, withoutX);
  assert.ok(after.kind === "sequence" && body.kind === "sequence");
  const [a, b, c] = after.commands;
  assert.ok(a?.kind === "assign" && b?.kind === "assign");
  assert.deepEqual(a.value, { kind: "negate", operand: { kind: "variable", name: "z" } });
  assert.equal(a.value, b.value);
  assert.equal(a.source, source);
  assert.equal(c, body.commands[2]);
});

void test("where nothing changes the command itself is given", () => {
  assert.equal(
    mapSharing(body, (part) => part),
    body,
  );
});

void test("who asks for commands alone gets all of them", () => {
  const kinds: string[] = [];
  walkCommand(body, { command: ({ kind }) => void kinds.push(kind) });
  assert.deepEqual(kinds, ["sequence", "assign", "assign", "assign"]);
});
