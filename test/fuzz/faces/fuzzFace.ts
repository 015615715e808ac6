// The loop over one face: chooses an input, changes it, hands it to a process of its own, and keeps what is new and what is
// wrong.
import { fork, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { randomOf } from "../servers/random";
import type { Answer } from "./answers";
import { loadFace } from "./faces";
import { mutated } from "./mutate";

export interface FuzzOptions {
  readonly seed: number;
  readonly inputs: number;
  readonly milliseconds: number;
  /** Where `corpus/FACE` and `found/FACE` are. */
  readonly out: string;
}

export interface FaceFigures {
  readonly inputs: number;
  readonly corpus: number;
  readonly crashes: number;
  readonly texts: number;
  readonly hangs: number;
}

/** Of what a process may do before it is replaced by a new one. */
const INPUTS_OF_A_PROCESS = 40_000;
/** Milliseconds in which a process begins. */
const BEGIN = 30_000;
const MOST_KEPT = 3000;
/** So many times its budget an input may take where the process does not compute. */
const MOST_WAITING = 8;
/** Milliseconds of a tick, by which the kernel counts. */
const TICK = 10;

/** Fuzzes a face until its time or its inputs are over. Throws where the face does not open. */
export async function fuzzFace(
  name: string,
  { seed, inputs: most, milliseconds, out }: FuzzOptions,
): Promise<FaceFigures> {
  const face = await loadFace(name);
  const random = randomOf(seed);
  const folder = path.join(out, "corpus", name);
  const found = path.join(out, "found", name);
  mkdirSync(folder, { recursive: true });
  const corpus = [
    ...face.seeds(),
    ...readdirSync(folder).map((file) => readFileSync(path.join(folder, file))),
  ];
  const seeds = corpus.length;
  const ways = new Set<string>();
  const told = new Set<string>();
  const figures = { inputs: 0, crashes: 0, texts: 0, hangs: 0 };
  const end = Date.now() + milliseconds;
  let child = await startWorker(name);
  let taken = 0;

  const wrong = (input: Buffer, kind: string, text: string): void => {
    // The same fault is kept once.
    const key = `${kind} ${text.replace(/\d+/g, "N").slice(0, 200)}`;
    if (told.has(key)) return;
    told.add(key);
    mkdirSync(found, { recursive: true });
    const file = path.join(found, `${kind.replace(" ", "-")}-${digest(input)}`);
    writeFileSync(file, input);
    console.log(`${name}: ${kind}: ${file}\n  ${text.split("\n").slice(0, 4).join("\n  ")}`);
  };

  for (; figures.inputs < most && Date.now() < end; figures.inputs += 1) {
    // Inputs are tried as they are first: a grown corpus is a test of its own.
    const input =
      figures.inputs < seeds
        ? corpus[figures.inputs]
        : mutated(random, random.pick(corpus), corpus, face.isText);
    if (input === undefined) continue;
    const answer = await child.tryInput(input, face.budget * 1.1);
    taken += 1;
    switch (answer.kind) {
      case "taken":
        if (!ways.has(answer.way) && figures.inputs >= seeds && corpus.length < MOST_KEPT) {
          corpus.push(input);
          writeFileSync(path.join(folder, digest(input)), input);
        }
        ways.add(answer.way);
        break;
      case "crash":
        figures.crashes += 1;
        wrong(input, "crash", answer.text);
        break;
      case "exception text":
        figures.texts += 1;
        wrong(input, "exception text", answer.text);
        break;
      case "hang":
        figures.hangs += 1;
        wrong(input, "hang", answer.text);
        break;
    }
    const isStale =
      answer.kind === "crash" || answer.kind === "hang" || taken >= INPUTS_OF_A_PROCESS;
    if (!isStale) continue;
    child.end();
    child = await startWorker(name);
    taken = 0;
  }
  child.end();
  return { ...figures, corpus: corpus.length };
}

type Outcome =
  Exclude<Answer, { kind: "ready" }> | { readonly kind: "hang"; readonly text: string };

interface Worker {
  tryInput(input: Buffer, limit: number): Promise<Outcome>;
  end(): void;
}

async function startWorker(name: string): Promise<Worker> {
  const child: ChildProcess = fork(path.join(__dirname, "worker.ts"), [name], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, ISOLENS_CACHE: "off" },
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  let heard: ((answer: Answer) => void) | undefined;
  // The process speaks only our own words.
  child.on("message", (message) => heard?.(message as Answer));
  child.on("exit", (code, signal) => {
    heard?.({
      kind: "crash",
      text: `the process ended with ${String(code ?? signal)}: ${errors.trim().slice(-1500)}`,
    });
  });
  const next = (limit: number): Promise<Answer | undefined> =>
    new Promise((resolve) => {
      const begun = computed(child.pid);
      const longest = Date.now() + MOST_WAITING * limit;
      const timer = setInterval(() => {
        // A busy machine makes an answer late; what counts is what the process computed.
        if (computed(child.pid) - begun < limit && Date.now() < longest) return;
        clearInterval(timer);
        heard = undefined;
        resolve(undefined);
      }, limit / 4);
      heard = (answer) => {
        clearInterval(timer);
        heard = undefined;
        resolve(answer);
      };
    });
  const ready = await next(BEGIN);
  if (ready?.kind !== "ready") {
    child.kill("SIGKILL");
    throw new Error(`${name} does not open: ${ready?.kind === "crash" ? ready.text : errors}`);
  }
  return {
    tryInput: async (input, limit) => {
      const answer = next(limit);
      child.send(input.toString("base64"));
      const known = await answer;
      if (known === undefined)
        return { kind: "hang", text: `no answer in ${String(Math.round(limit))} ms` };
      return known.kind === "ready" ? { kind: "crash", text: "it began again" } : known;
    },
    end: () => {
      child.removeAllListeners();
      child.kill("SIGKILL");
    },
  };
}

function digest(input: Buffer): string {
  return createHash("sha256").update(input).digest("hex").slice(0, 16);
}

/** Milliseconds of processor that a process has had, where the kernel tells; else by the clock. */
function computed(pid: number | undefined): number {
  const file = `/proc/${String(pid)}/stat`;
  if (!existsSync(file)) return performance.now();
  const fields = readFileSync(file, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}
