// Outcomes of the serial orders beside that of this run: only the differences, highlighted.
import {
  areClockTimes,
  shownText,
  type Outcome,
  type Row as DatabaseRow,
} from "../../../server/src/protocol/witness";
import type { PanelReplay } from "../../../server/src/protocol/requests";
import { button, element } from "../element";
import type { Story } from "../model/story";
import { valueText } from "../model/words";
import type { Figure } from "./figure";

interface Row {
  readonly name: string;
  readonly outcome: Outcome;
  readonly own: boolean;
}

export interface SerialView extends Figure {
  /** Shows the replay on a real server beside the computed outcomes. */
  showReplay(replay: PanelReplay): void;
}

/** Limit of visible orders; the others are folded. */
const MOST_ORDERS = 6;

export function createSerialView(story: Story): SerialView {
  const { anomaly } = story.payload;
  const rows: readonly Row[] = [
    { name: "this run", outcome: anomaly.witness.outcome, own: true },
    ...anomaly.serial.map(({ order, outcome }) => ({
      name: order.join(", then "),
      outcome,
      own: false,
    })),
  ];
  const widths = keyWidths(rows.map((row) => row.outcome));
  const facts = rows.map((row) => factsOf(row.outcome, widths));
  const names = [...new Set(facts.flatMap((each) => [...each.keys()]))];
  const differing = names.filter(
    (name) => new Set(facts.map((each) => each.get(name) ?? "")).size > 1,
  );
  // Clock times differ between runs, whatever the program does.
  const telling = differing.filter((name) => !areClockTimes(facts.map((each) => each.get(name))));
  const shown = [telling, differing, names].find((each) => each.length > 0) ?? [];
  const head = element("tr", {}, column("order"), ...shown.map((name) => column(name)));
  const body = rows.map((row, index) => {
    const own = facts[index];
    const cells = shown.map((name) => {
      const value = own?.get(name) ?? "\u2013";
      const inSerial = facts.some((each, n) => n > 0 && (each.get(name) ?? "\u2013") === value);
      const odd = row.own && !inSerial;
      const differs = !row.own && (facts[0]?.get(name) ?? "\u2013") !== value;
      return element(
        "td",
        { class: odd ? "odd" : differs ? "differs" : row.own ? "" : "dim" },
        differs
          ? element("span", { class: "mark", attributes: { "aria-label": "differs:" } }, "\u2260 ")
          : undefined,
        value,
        odd ? element("span", { class: "note" }, "in no order") : undefined,
      );
    });
    const header = element("th", { attributes: { scope: "row" } }, row.name);
    return element("tr", { class: row.own ? "own" : "" }, header, ...cells);
  });
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
  const replayed = element("div", { class: "replay", attributes: { "aria-live": "polite" } });
  return {
    node: element(
      "div",
      { class: "serial" },
      element("p", { class: "dim" }, summary(rows.length - 1, facts)),
      element("div", { class: "scroll" }, table),
      moreButton(body.slice(MOST_ORDERS + 1)),
      replayed,
    ),
    select: () => undefined,
    resize: () => undefined,
    showReplay: (replay) => {
      replayed.replaceChildren(...replayText(replay));
    },
  };
}

/** Folds rows behind a button with their number; undefined if there are none. */
function moreButton(rows: readonly HTMLElement[]): HTMLElement | undefined {
  if (rows.length === 0) return undefined;
  for (const row of rows) row.hidden = true;
  const more = button(
    {
      class: "quiet",
      run: () => {
        for (const row of rows) row.hidden = false;
        more.remove();
      },
    },
    `Show ${String(rows.length)} more ${rows.length === 1 ? "order" : "orders"}`,
  );
  return more;
}

const REPLAYED: Readonly<Record<PanelReplay["verdict"], string>> = {
  running: "It is being run on a database.",
  reproduced: "It happened on the server as it is told here.",
  "reproduced in part":
    "It happened on the server, which was not told of all that the program does",
  followed: "The server let all of it happen; nothing that can be seen differs from some order.",
  "not reproduced": "It did not happen on the server.",
  "not replayed": "It could not be run on a server",
};

/** The replay in words, with the final rows. */
function replayText({ server, verdict, reason, rows = {} }: PanelReplay): readonly HTMLElement[] {
  const isTold = verdict === "not replayed" || verdict === "reproduced in part";
  const why = isTold ? `: ${reason ?? "see the output"}.` : "";
  return [
    element("h2", {}, server === "" ? "On a database" : `On ${server}`),
    element("p", {}, `${REPLAYED[verdict]}${why}`),
    ...Object.entries(rows).map(([table, own]) =>
      element(
        "div",
        { class: "cell" },
        element("span", { class: "cell-name" }, table),
        element("code", {}, own.join("  ")),
      ),
    ),
  ];
}

function column(text: string): HTMLElement {
  return element("th", { attributes: { scope: "col" } }, text);
}

function summary(orders: number, facts: readonly ReadonlyMap<string, string>[]): string {
  if (orders === 0) return "The serial orders were not run.";
  const [run, ...serial] = facts.map((each) => JSON.stringify([...each].sort()));
  const count = `${String(orders)} ${orders === 1 ? "order" : "orders"}`;
  return serial.includes(run ?? "")
    ? `The same transactions were run one after the other, in ${count}; some order gives the same values.`
    : `The same transactions were run one after the other, in ${count}: none gives what this run gave.`;
}

/** Every value of an outcome by name: final cells, returned values, ends of the instances. */
function factsOf(
  outcome: Outcome,
  widths: ReadonlyMap<string, number>,
): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const [instance, status] of Object.entries(outcome.status)) {
    facts.set(`${instance} ends`, status);
  }
  for (const [instance, values] of Object.entries(outcome.returned)) {
    facts.set(
      `${instance} returns`,
      values.length === 0 ? "nothing" : shownText(values.join("; ")),
    );
  }
  for (const [table, rows] of Object.entries(outcome.final)) {
    for (const row of rows) {
      const width = widths.get(table) ?? 1;
      const others = Object.entries(row).slice(width);
      const name = `${table}[${keyText(row, width)}]`;
      if (others.length === 0) facts.set(name, "there");
      for (const [columnName, value] of others)
        facts.set(`${name}.${columnName}`, valueText(value));
    }
  }
  return facts;
}

/** The number of leading columns that identify the rows of each table: keys are usually declared first. */
function keyWidths(outcomes: readonly Outcome[]): ReadonlyMap<string, number> {
  const widths = new Map<string, number>();
  for (const { final } of outcomes) {
    for (const [table, rows] of Object.entries(final)) {
      const most = Math.max(1, ...rows.map((row) => Object.keys(row).length));
      let width = widths.get(table) ?? 1;
      while (width < most && new Set(rows.map((row) => keyText(row, width))).size < rows.length) {
        width += 1;
      }
      widths.set(table, width);
    }
  }
  return widths;
}

function keyText(row: DatabaseRow, width: number): string {
  return Object.values(row).slice(0, width).map(valueText).join(",");
}
