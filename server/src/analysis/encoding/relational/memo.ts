// Memoised terms by key. A computation that depends on its own key gets a constant that is defined afterwards: two writers may each ask
// what the other would see, although at most one of them sees the other.
import type { Script, Smt, Sort } from "../smt";
import { eq, imp, not } from "../smt";
import { asInt, nameValue } from "../sqlValue";
import type { SqlValue } from "../sqlValue";

export interface Memo {
  condition(key: string, compute: () => Smt): Smt;
  value(key: string, compute: () => SqlValue): SqlValue;
}

/** A memo whose generated names start with `prefix`; one prefix per memo and script. */
export function createMemo(script: Script, prefix: string): Memo {
  const conditions = new Map<string, Smt>();
  const values = new Map<string, SqlValue>();
  const running = new Set<string>();
  const promisedConditions = new Map<string, Smt>();
  const promisedValues = new Map<string, SqlValue>();
  let promises = 0;
  const promise = (sort: Sort): Smt => {
    promises += 1;
    return script.constant(`${prefix}q${String(promises)}`, sort);
  };
  return {
    condition: (key, compute) => {
      const known = conditions.get(key) ?? promisedConditions.get(key);
      if (known !== undefined) return known;
      if (running.has(key)) {
        const made = promise("Bool");
        promisedConditions.set(key, made);
        return made;
      }
      running.add(key);
      const result = script.name(compute(), "Bool");
      running.delete(key);
      const promised = promisedConditions.get(key);
      if (promised !== undefined) script.assert(eq(promised, result));
      conditions.set(key, promised ?? result);
      return promised ?? result;
    },
    value: (key, compute) => {
      const known = values.get(key) ?? promisedValues.get(key);
      if (known !== undefined) return known;
      if (running.has(key)) {
        const made: SqlValue = { isNull: promise("Bool"), value: promise("Int"), sort: "Int" };
        promisedValues.set(key, made);
        return made;
      }
      running.add(key);
      const result = nameValue(script, compute());
      running.delete(key);
      const promised = promisedValues.get(key);
      if (promised !== undefined) {
        script.assert(eq(promised.isNull, result.isNull));
        script.assert(imp(not(result.isNull), eq(promised.value, asInt(result))));
      }
      values.set(key, promised ?? result);
      return promised ?? result;
    },
  };
}
