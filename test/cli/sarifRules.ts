// The demands of SARIF 2.1.0 (OASIS, section 3) on the parts that our reports have: required properties, allowed values, and
// how the parts refer to each other.
import assert from "node:assert/strict";
import { ownEntry } from "../../server/src/protocol/dictionary";

export interface SarifRun {
  readonly invocations: readonly { readonly executionSuccessful: boolean }[];
  readonly results: readonly SarifResult[];
}

interface SarifResult {
  readonly level: string;
  readonly locations: readonly SarifLocation[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly codeFlows?: readonly { readonly threadFlows: readonly SarifThread[] }[];
  readonly suppressions?: readonly { readonly kind: string; readonly justification?: string }[];
}

interface SarifThread {
  readonly id: string;
  readonly locations: readonly { readonly executionOrder: number }[];
}

interface SarifLocation {
  readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
}

type Fields = Readonly<Record<string, unknown>>;

/** The runs of a log, after its structure was checked. */
export function checkSarif(text: string): readonly SarifRun[] {
  const log = fields(JSON.parse(text));
  assert.equal(log["version"], "2.1.0");
  assert.match(string(log["$schema"]), /sarif-schema-2\.1\.0\.json$/u);
  for (const run of list(log["runs"]).map(fields)) checkRun(run);
  // Checked output has these shapes.
  return log["runs"] as readonly SarifRun[];
}

function checkRun(run: Fields): void {
  assert.ok(["utf16CodeUnits", "unicodeCodePoints"].includes(string(run["columnKind"])));
  const driver = fields(fields(run["tool"])["driver"]);
  assert.ok(string(driver["name"]).length > 0);
  const rules = list(driver["rules"]).map(fields);
  const ids = rules.map((rule) => string(rule["id"]));
  assert.equal(new Set(ids).size, ids.length);
  for (const rule of rules) {
    for (const key of ["shortDescription", "fullDescription", "help"]) message(ownEntry(rule, key));
    assert.ok(URL.canParse(string(rule["helpUri"])));
    level(fields(rule["defaultConfiguration"])["level"]);
  }
  const notifications = list(driver["notifications"]).map((each) => string(fields(each)["id"]));
  for (const invocation of list(run["invocations"]).map(fields)) {
    assert.equal(typeof invocation["executionSuccessful"], "boolean");
    for (const each of list(invocation["toolExecutionNotifications"]).map(fields)) {
      message(each["message"]);
      level(each["level"]);
      assert.ok(notifications.includes(string(fields(each["descriptor"])["id"])));
      if ("locations" in each) list(each["locations"]).forEach(location);
    }
  }
  for (const result of list(run["results"]).map(fields)) checkResult(result, ids);
}

function checkResult(result: Fields, rules: readonly string[]): void {
  const index = number(result["ruleIndex"]);
  assert.equal(rules[index], result["ruleId"]);
  message(result["message"]);
  level(result["level"]);
  list(result["locations"]).forEach(location);
  for (const value of Object.values(fields(result["partialFingerprints"]))) string(value);
  const related = list(result["relatedLocations"] ?? []).map(fields);
  const ids = related.map(({ id }) => number(id));
  assert.equal(new Set(ids).size, ids.length);
  for (const each of related) {
    location(each);
    message(each["message"]);
  }
  for (const flow of list(result["codeFlows"] ?? []).map(fields)) {
    const threads = list(flow["threadFlows"]).map(fields);
    // Both need an element at least (3.36.3, 3.37.6).
    assert.ok(threads.length > 0);
    for (const thread of threads) {
      const locations = list(thread["locations"]).map(fields);
      assert.ok(locations.length > 0);
      for (const each of locations) {
        location(each["location"]);
        assert.ok(number(each["executionOrder"]) >= 0);
        assert.ok(["important", "essential", "unimportant"].includes(string(each["importance"])));
      }
    }
  }
  for (const each of list(result["suppressions"] ?? []).map(fields)) {
    assert.ok(["inSource", "external"].includes(string(each["kind"])));
    if ("status" in each) {
      assert.ok(["accepted", "underReview", "rejected"].includes(string(each["status"])));
    }
    if ("location" in each) location(each["location"]);
  }
}

function location(value: unknown): void {
  const physical = fields(fields(value)["physicalLocation"]);
  const uri = string(fields(physical["artifactLocation"])["uri"]);
  // A valid reference, relative or not (3.4.3).
  assert.ok(URL.canParse(uri, "file:///base/"), uri);
  assert.ok(!/[\s\\]/u.test(uri), uri);
  if (!("region" in physical)) return;
  const region = fields(physical["region"]);
  const at = (key: string): number => number(ownEntry(region, key));
  assert.ok(at("startLine") >= 1 && at("startColumn") >= 1);
  assert.ok(at("endLine") >= at("startLine"));
  if (at("endLine") === at("startLine")) assert.ok(at("endColumn") >= at("startColumn"));
}

function message(value: unknown): void {
  assert.ok(string(fields(value)["text"]).length > 0);
}

function level(value: unknown): void {
  assert.ok(["none", "note", "warning", "error"].includes(string(value)));
}

function fields(value: unknown): Fields {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value));
  // An object that is not null can be indexed by any name.
  return value as Fields;
}

function list(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value));
  return value;
}

function string(value: unknown): string {
  assert.ok(typeof value === "string");
  return value;
}

function number(value: unknown): number {
  assert.ok(typeof value === "number");
  return value;
}
