// `npm run fuzz -- --face F --minutes N`: changed inputs for one face of the product, or for all in turn. Ends with 1 where one
// crashes it, shows the text of an exception or takes too long. docs/fuzzing.md tells the options.
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { FACE_NAMES } from "./faces";
import { fuzzFace, type FaceFigures } from "./fuzzFace";

const { values } = parseArgs({
  options: {
    face: { type: "string", default: "all" },
    minutes: { type: "string", default: "1" },
    inputs: { type: "string" },
    seed: { type: "string" },
    out: { type: "string", default: "test-results/fuzz" },
  },
});

void main();

async function main(): Promise<void> {
  const names = values.face === "all" ? [...FACE_NAMES] : values.face.split(",");
  const unknown = names.find((name) => !FACE_NAMES.includes(name));
  if (unknown !== undefined) {
    console.error(`There is no face ${unknown}: there are ${FACE_NAMES.join(", ")}.`);
    process.exitCode = 3;
    return;
  }
  const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);
  console.log(`seed ${String(seed)}`);
  const all: FaceFigures[] = [];
  for (const name of names) {
    const figures = await fuzzFace(name, {
      seed,
      inputs: values.inputs === undefined ? Infinity : Number(values.inputs),
      milliseconds: (Number(values.minutes) * 60_000) / names.length,
      out: path.resolve(values.out),
    });
    const { inputs, corpus, crashes, texts, hangs } = figures;
    console.log(
      `${name.padEnd(14)} ${String(inputs).padStart(7)} inputs, ${String(corpus).padStart(4)} in the corpus, ${String(crashes)} crashes, ${String(texts)} exception texts, ${String(hangs)} hangs`,
    );
    all.push(figures);
  }
  const sum = (of: (figures: FaceFigures) => number): number =>
    all.reduce((total, each) => total + of(each), 0);
  const wrong = sum(({ crashes, texts, hangs }) => crashes + texts + hangs);
  console.log(`${String(sum(({ inputs }) => inputs))} inputs, ${String(wrong)} of them wrong`);
  process.exitCode = wrong === 0 ? 0 : 1;
}
