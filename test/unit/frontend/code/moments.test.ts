// Dates and times: moments that code calculates with are numbers of milliseconds, whatever makes and moves them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = "CREATE TABLE lease (id int PRIMARY KEY, until timestamptz NOT NULL, millis bigint);";

/** The statement of a function that sets `column` to an expression of the code, with what was lost. */
async function set(expression: string, column = "until", imports = "") {
  const text = `import { Pool } from "pg";
${imports}
const pool = new Pool();
export async function f(id: number, seconds: number) {
  const { rows: [row] } = await pool.query("SELECT until, millis FROM lease WHERE id = $1", [id]);
  await pool.query("UPDATE lease SET ${column} = $2 WHERE id = $1", [id, ${expression}]);
}`;
  const found = await transactionsOf(DDL, { "a.ts": text });
  const written = printed(found).at(-1) ?? "";
  const [, value = written] = /set \w+ = (.*) where/u.exec(written) ?? [];
  return { value, losses: found.flatMap((each) => losses(each)) };
}

const DAY = "86400000";

describe("a moment", () => {
  it("is a number where code calculates with it", async () => {
    const { value, losses: lost } = await set(`new Date(row.until.getTime() + ${DAY})`);
    assert.equal(value, `code:instant((code:millis(r1.until) + ${DAY}))`);
    assert.deepEqual(lost, []);
  });

  it("is the same under whatever name its milliseconds go", async () => {
    for (const each of ["+row.until", "Number(row.until)", "row.until.valueOf()"])
      assert.equal((await set(`new Date(${each} - 5)`)).value, "code:instant((code:millis(r1.until) - 5))"); // prettier-ignore
    assert.equal((await set("new Date(row.until.getTime())")).value, "r1.until");
  });

  it("is made of numbers that rows hold", async () => {
    assert.equal((await set("new Date(row.millis)")).value, "code:instant(r1.millis)");
    assert.equal((await set("row.until.getTime()", "millis")).value, "code:millis(r1.until)");
  });

  it("is moved alike by the packages that move it", async () => {
    const later = `code:instant((code:millis(r1.until) + ${DAY}))`;
    const packages: readonly (readonly [string, string])[] = [
      ["addDays(row.until, 1)", `import { addDays } from "date-fns";`],
      ["add(row.until, { hours: 24 })", `import { add } from "date-fns";`],
      ["dayjs(row.until).add(1, 'day').toDate()", `import dayjs from "dayjs";`],
      ["moment(row.until).add(24, 'hours').toDate()", `import moment from "moment";`],
      [
        "DateTime.fromJSDate(row.until).plus({ days: 1 }).toJSDate()",
        `import { DateTime } from "luxon";`,
      ],
    ];
    for (const [expression, imports] of packages) {
      const { value, losses: lost } = await set(expression, "until", imports);
      assert.equal(value, later, expression);
      assert.deepEqual(lost, [], expression);
    }
  });

  it("moves by months as a calendar does", async () => {
    const { value } = await set("addMonths(row.until, 2)", "until", `import { addMonths } from "date-fns";`); // prettier-ignore
    assert.equal(value, "code:Date.addMonths(r1.until, 2)");
  });

  it("is changed by the methods of moment, but for its clones, and by none of other packages", async () => {
    const later = `code:instant((code:millis(r1.until) + ${DAY}))`;
    const behind = (from: string, made: string) =>
      set(`(() => { const m = made(row.until); ${made}; return m.toDate(); })()`, "until", `import made from "${from}";`); // prettier-ignore
    for (const [from, made, value] of [
      ["moment", "m.add(1, 'day')", later],
      ["moment", "const n = m.add(1, 'day')", later],
      ["moment", "m.clone().add(1, 'day')", "r1.until"],
      ["moment", "made(m).add(1, 'day')", "r1.until"],
      ["moment", "m.startOf('day')", "code:Date.startOfDay(r1.until)"],
      ["dayjs", "m.add(1, 'day')", "r1.until"],
    ] as const)
      assert.deepEqual([made, (await behind(from, made)).value], [made, value]);
    assert.doesNotMatch((await behind("moment", "m.set('hour', 3)")).value, /^r1.until$/u);
  });

  it("is compared by units where these are given", async () => {
    const asked = (condition: string) =>
      set(`dayjs(row.until).${condition} ? 1 : 2`, "millis", `import dayjs from "dayjs";`);
    const plain = (await asked("isBefore(new Date(5))")).value;
    const byDay = (await asked("isBefore(new Date(5), 'day')")).value;
    assert.match(plain, /r1\.until < code:instant\(5\)/u);
    assert.match(byDay, /startOfDay\(r1\.until\) < code:Date\.startOfDay/u);
    const whole = (await set("dayjs(row.until).diff(new Date(5), 'day')", "millis", `import dayjs from "dayjs";`)).value; // prettier-ignore
    const part = (await set("dayjs(row.until).diff(new Date(5), 'day', true)", "millis", `import dayjs from "dayjs";`)).value; // prettier-ignore
    assert.notEqual(part, whole);
  });
});
