// `npm run bench:explore -- [seconds]`: how fast client programs are explored, what it costs to begin at weaker levels or
// to try all orders instead, and how both grow. Times are of this process, so that a busy machine changes them less.
import process from "node:process";
import type { Client } from "../../server/src/exploration/client";
import type {
  AxiomaticLevel,
  ExploreOptions,
  ExploreSummary,
  StoreLevel,
} from "../../server/src/exploration/exploration";
import { exploreSync } from "../../server/src/exploration/explore";
import { CLIENTS, crosswise, tpcc } from "./exploreClients";
import { tryAllOrders } from "./exploreAllOrders";
import { monkeyResults, SAMPLES } from "./exploreMonkey";

const limit = Number(process.argv[2] ?? 10) * 1000;

interface Measured {
  readonly summary: ExploreSummary;
  readonly milliseconds: number;
  readonly first: number;
  /** The most that was in use at any of the samples. */
  readonly megabytes: number;
}

function now(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function measure(client: Client, options: ExploreOptions): Measured {
  globalThis.gc?.();
  const begin = now();
  let first = Number.NaN;
  let count = 0;
  let megabytes = 0;
  let polls = 0;
  const stop = (): boolean => polls++ % 64 === 0 && now() - begin > limit;
  const events = exploreSync(client, { ...options, stop });
  for (;;) {
    const event = events.next();
    if (event.done === true)
      return { summary: event.value, milliseconds: now() - begin, first, megabytes };
    if (Number.isNaN(first)) first = now() - begin;
    if (count++ % 2000 !== 0) continue;
    globalThis.gc?.();
    megabytes = Math.max(megabytes, process.memoryUsage().heapUsed / 1e6);
  }
}

function line(cells: readonly (string | number)[]): void {
  console.log(
    cells
      .map((cell, at) => (at === 0 ? String(cell).padEnd(13) : String(cell).padStart(13)))
      .join(""),
  );
}

function seconds(milliseconds: number, whole: boolean): string {
  return `${whole ? "" : ">"}${(milliseconds / 1000).toFixed(2)} s`;
}

function head(title: string, columns: readonly string[]): void {
  console.log(`\n${title}`);
  line(["", ...columns]);
}

const LEVELS: readonly StoreLevel[] = [
  "causal",
  "prefix",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
  "serializable",
  "postgres:read-committed",
];

head("Ten clients of 3 sessions x 3 transactions: histories and time at each level", [
  "causal",
  "prefix",
  "parallel SI",
  "SI",
  "serializable",
  "postgres RC",
]);
for (const [name, client] of Object.entries(CLIENTS)) {
  const all = LEVELS.map((level) => measure(client, { level }));
  line([name, ...all.map(({ summary }) => summary.histories)]);
  line(["", ...all.map(({ milliseconds, summary }) => seconds(milliseconds, summary.exhausted))]);
}

head("Causal histories: runs from weaker levels, and all orders of transactions tried", [
  "causal",
  "from RA",
  "from RC",
  "from any",
  "all orders",
]);
for (const [name, client] of Object.entries(CLIENTS)) {
  const starts: readonly AxiomaticLevel[] = ["causal", "read-atomic", "read-committed", "any"];
  const all = starts.map((startLevel) => measure(client, { level: "causal", startLevel }));
  const orders = tryAllOrders(client, "causal", () => now(), limit);
  line([name, ...all.map(({ summary }) => summary.runs), orders.runs]);
  line([
    "",
    ...all.map(({ milliseconds, summary }) => seconds(milliseconds, summary.exhausted)),
    `${seconds(orders.milliseconds, orders.exhausted)}`,
  ]);
  if (!orders.exhausted) line(["", "", "", "", "", `found ${orders.histories}`]);
}

head("Growth", ["level", "histories", "time", "per second", "first after", "memory", "kept"]);
const SIZES: readonly (readonly [string, Client])[] = [
  ...[1, 2, 3, 4, 5].map((n) => [`tpcc ${n}x3`, tpcc(n, 3)] as const),
  ...[1, 2, 4, 5].map((n) => [`tpcc 3x${n}`, tpcc(3, n)] as const),
  ...[2, 3].map((n) => [`cross ${n}x3`, crosswise(n, 3)] as const),
];
for (const [name, client] of SIZES)
  for (const level of ["read-committed", "causal", "snapshot-isolation", "serializable"] as const) {
    const { summary, milliseconds, first, megabytes } = measure(client, { level });
    const { histories, exhausted, peakWork } = summary;
    line([
      name,
      level.slice(0, 12),
      histories,
      seconds(milliseconds, exhausted),
      Math.round((histories / milliseconds) * 1000),
      `${first.toFixed(0)} ms`,
      `${megabytes.toFixed(0)} MB`,
      peakWork,
    ]);
  }

async function printMonkey(): Promise<void> {
  head("MonkeyDB's assertions: random runs until one fails, on average, here and as published", [
    "runs",
    "published",
    "time",
    "published",
  ]);
  const results = await monkeyResults(SAMPLES.at(-1) ?? 0, limit);
  for (const { name, iterations, seconds: time, published } of results) {
    console.log(name);
    line([
      "",
      iterations.toFixed(1),
      published.iterations,
      `${time.toFixed(4)} s`,
      `${published.seconds} s`,
    ]);
  }
  head("Different outcomes seen by so many random runs, and all that there are", [
    ...SAMPLES.map(String),
    "all",
  ]);
  for (const { name, seen, all } of results) {
    console.log(name);
    line(["", ...seen.map(({ states }) => states), all ?? "not known"]);
  }
}

void printMonkey();
