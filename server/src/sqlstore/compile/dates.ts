// Dates of MySQL moved by an INTERVAL.
import { mysqlText, anyMoment } from "../values/cast";
import { addInterval, formatDay, formatMoment, negateInterval } from "../values/temporal";
import { isInterval } from "../values/value";
import type { Node } from "./node";

/** A date or time plus or minus an interval: a date stays one if only days are added. NULL for what is no date. */
export function shiftedDate(date: Node, by: Node, sign: 1 | -1): Node {
  return {
    type: date.type === "date" ? dateResult(by) : date.type === "timestamp" ? "timestamp" : "text",
    constant: date.constant && by.constant,
    run: (env) => {
      const [value, amount] = [date.run(env), by.run(env)];
      if (value === null || !isInterval(amount)) return null;
      const text = mysqlText(value, date.type);
      const at = anyMoment(text);
      if (at === undefined) return null;
      const moved = addInterval(at, sign < 0 ? negateInterval(amount) : amount);
      const isDate = !text.includes(":") && amount.micros === 0;
      return isDate ? formatDay(moved.days) : formatMoment(moved);
    },
  };
}

/** A date moved by hours is a date with a time. */
function dateResult(by: Node): "date" | "timestamp" {
  return by.literal === "time" ? "timestamp" : "date";
}
