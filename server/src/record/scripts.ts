// Several statements that were sent as one text: they are of the call that its comment names, wherever that stands in it.
import type { RecordedStatement } from "./statements";

/** The statements with the call sites of their texts, and without what resets a session. Linear in their number. */
export function inScripts(statements: readonly RecordedStatement[]): readonly RecordedStatement[] {
  const scripts = new Map<string, RecordedStatement[]>();
  for (const statement of statements) {
    const key = scriptKey(statement);
    scripts.set(key, [...(scripts.get(key) ?? []), statement]);
  }
  return statements.map((statement) => {
    const script = scripts.get(scriptKey(statement)) ?? [];
    if (script.length < 2) return statement;
    const site = statement.site ?? script.findLast((each) => each.site !== undefined)?.site;
    const own = site === undefined ? statement : { ...statement, site };
    return script.some(isReset) ? { ...own, kind: "session" } : own;
  });
}

function scriptKey({ connection, order, rerun }: RecordedStatement): string {
  return `${String(rerun ?? 0)} ${String(connection)} ${String(order)}`;
}

/** True for what a pool sends before it hands a connection on: with it goes all that gives up what the session holds. */
function isReset({ text }: RecordedStatement): boolean {
  return /^(?:reset|discard) all\b/i.test(text);
}
