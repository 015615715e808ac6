import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detailOf } from "../../../client/src/features/statusText";
import type { ServerStatus } from "../../../server/src/protocol/requests";

const STATUS: ServerStatus = {
  health: "ok",
  message: "",
  level: { name: "postgres:read-committed", label: "PostgreSQL READ COMMITTED" },
  chosen: false,
  anomalies: 2,
  unknown: 0,
  open: [],
  milliseconds: 1234,
};

describe("the status in words", () => {
  it("tells what was found and how long it took", () => {
    assert.equal(detailOf(STATUS), "2 anomalies in 1.2 s");
  });

  it("tells that an earlier reading stands, and for which text", () => {
    const open = [
      "a.sql:3: END is missing. What is shown is of the text before that.",
      "b.sql:1: x",
    ];
    assert.equal(
      detailOf({ ...STATUS, open }),
      "2 anomalies in 1.2 s - a.sql:3: END is missing. What is shown is of the text before that. (and 1 more)",
    );
  });

  it("tells what is wrong before anything else", () => {
    assert.equal(detailOf({ ...STATUS, health: "degraded", message: "no solver" }), "no solver");
  });
});
