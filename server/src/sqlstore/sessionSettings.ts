// Settings of a session: what they are called in both products, what they are unless they are set, and what is said of the
// transactions that follow.
import type { Dialect } from "../program/dialect";
import { keptSetting, mysqlSettings, plainSetting } from "./mysql/settings";
import type { Diagnostics } from "./sessionDiagnostics";
import { LEVEL_SETTING, READ_ONLY_SETTING } from "./sessionParts";
import type { State } from "./sessionState";
import { failure } from "./sqlError";
import { POSTGRES_SETTINGS } from "./system/pgSettings";
import type { SqlValue } from "./values/value";

export interface SessionSettings {
  /** Their values where the session has said nothing. */
  readonly usual: ReadonlyMap<string, string>;
  /** Fails for a name that there is not; NULL where it is optional. */
  readonly read: (name: string, isOptional?: boolean) => SqlValue;
  /** Sets a plain setting, until the end of the transaction where it is `local`; what it is usually if undefined. */
  readonly keep: (name: string, text: string | undefined, local: boolean) => void;
}

export function sessionSettings(
  state: State,
  dialect: Dialect,
  diagnostics: Diagnostics,
): SessionSettings {
  const isPostgres = dialect === "postgres";
  const usual = isPostgres ? POSTGRES_SETTINGS : mysqlSettings(dialect);

  function levelSetting(name: string): string {
    const standard = state.usualLevel ?? (isPostgres ? "read committed" : "repeatable read");
    const level = name.startsWith("default") ? standard : (state.level ?? standard);
    return isPostgres ? level : level.toUpperCase().replaceAll(" ", "-");
  }

  function readOnlySetting(name: string): string {
    const isOn = name.startsWith("default") ? state.usualReadOnly : isReadOnly(state);
    const text = isOn ? "on" : "off";
    return isPostgres ? text : text.toUpperCase();
  }

  return {
    usual,
    read(name, isOptional = false) {
      const plain = plainSetting(name);
      if (!isPostgres && COUNTS.has(plain)) {
        const all = diagnostics.all();
        const isCounted =
          plain === "error_count" ? all.filter(({ level }) => level === "Error") : all;
        return String(isCounted.length);
      }
      if (plain === "autocommit") return state.autocommit ? "ON" : "OFF";
      const isKnown = isPostgres || usual.has(plain);
      if (LEVEL_SETTING.test(plain) && isKnown) return levelSetting(plain);
      if (READ_ONLY_SETTING.test(plain) && isKnown) return readOnlySetting(plain);
      const known = state.settings.get(plain) ?? usual.get(plain);
      if (known !== undefined) return known;
      if (isOptional) return null;
      throw isPostgres
        ? failure("noObject", `unrecognized configuration parameter "${plain}"`)
        : failure("noSetting", `Unknown system variable '${plain}'`);
    },
    keep(name, text, local) {
      const plain = isPostgres ? name.toLowerCase() : plainSetting(name);
      if (!isPostgres && !usual.has(plain))
        throw failure("noSetting", `Unknown system variable '${plain}'`);
      if (local) state.settingsBefore ??= new Map(state.settings);
      for (const all of [state.settings, ...(local ? [] : [state.settingsBefore])]) {
        if (text === undefined) all?.delete(plain);
        else all?.set(plain, keptSetting(text, isPostgres ? undefined : usual.get(plain)));
      }
    },
  };
}

/** Variables about the last statement, which nobody sets. */
const COUNTS: ReadonlySet<string> = new Set(["warning_count", "error_count"]);

/** True if the transaction at hand, or the next one, may not change rows. */
export function isReadOnly(state: State): boolean {
  return state.readOnly ?? state.usualReadOnly;
}
