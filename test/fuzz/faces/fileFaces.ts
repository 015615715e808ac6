// Files other than programs: histories in all formats, configurations, baselines, levels, clients and manifests.
import { checkHistory } from "../../../server/src/history/check";
import {
  HEAD_BYTES,
  recogniseFormat,
  type FormatName,
} from "../../../server/src/history/formats/format";
import { startReading } from "../../../server/src/history/formats/readHistory";
import { explainViolation } from "../../../server/src/history/violation";
import { readJsonClient } from "../../../server/src/clients/readJsonClient";
import { parseBaseline } from "../../../server/src/workspace/baseline";
import { parseConfiguration } from "../../../server/src/workspace/configuration";
import { parseLevelFile } from "../../../server/src/workspace/levelFile";
import type { Face } from "./face";
import { filesIn, texts } from "./seeds";

const FORMATS: readonly FormatName[] = [
  ...([
    "text",
    "json",
    "elle",
    "dbcop-hist",
    "dbcop-json",
    "dbcop-bincode",
    "cobra",
    "awdit",
  ] as const),
];

const HISTORIES = texts(
  "w(1,10,0,1)\nr(1,10,1,2)\nw(2,10,1,3)\nr(1,20,2,4)\n",
  '{"sessions":[[[{"w":[1,2]},{"r":[1,2]}]]]}',
  "{:index 0 :type :invoke :process 0 :f :txn :value [[:append 1 2] [:r 1 nil]]}\n{:index 1 :type :ok :process 0 :f :txn :value [[:append 1 2] [:r 1 [2]]]}\n",
  "{:index 0 :type :ok :process 0 :f :txn :value [[:w 1 2] [:r 1 2]]}\n",
  '[[{"events":[{"Write":{"variable":0,"version":{"txn_id":1,"value":1}}}],"committed":true}]]',
  "3 2\n0 1\nw 1 2\nr 1 2\n",
);

function parsing(seeds: () => readonly Buffer[], parse: (text: string) => unknown): Face {
  return {
    seeds,
    isText: true,
    budget: 2000,
    open: () =>
      Promise.resolve({
        take: (input) => {
          const said = JSON.stringify(parse(input.toString("utf8"))) ?? "";
          return Promise.resolve({ said, way: said.replace(/"[^"]{12,}"|\d+/g, "").slice(0, 60) });
        },
        close: () => Promise.resolve(),
      }),
  };
}

const history: Face = {
  seeds: () => [...HISTORIES, ...filesIn("data/histories", /\.(?:edn|txt)$/)],
  isText: false,
  budget: 5000,
  open: () => {
    let count = 0;
    return Promise.resolve({
      take: (input) => {
        count += 1;
        const recognised = recogniseFormat(input.subarray(0, HEAD_BYTES));
        const format =
          count % 3 === 0 || recognised === undefined
            ? FORMATS[count % FORMATS.length]
            : recognised;
        const reading = startReading(format ?? "text", input.length);
        reading.file("recorded.bin");
        const fault = reading.feed(input) ?? reading.endFile();
        if (fault !== undefined)
          return Promise.resolve({
            said: JSON.stringify(fault),
            way: `${String(format)} ${JSON.stringify(fault).replace(/\d+/g, "").slice(0, 50)}`,
          });
        const read = reading.finish();
        const result = checkHistory(read);
        const violation = explainViolation(read, result);
        const verdicts = [...result.verdicts.values()].join();
        return Promise.resolve({
          said: JSON.stringify([verdicts, violation], (_, value: unknown) =>
            typeof value === "bigint" ? String(value) : value,
          ),
          way: `${String(format)} ${verdicts}`,
        });
      },
      close: () => Promise.resolve(),
    });
  },
};

export const FILE_FACES: ReadonlyMap<string, Face> = new Map(
  Object.entries({
    history,
    configuration: parsing(
      () => [
        ...filesIn("apps", /isolens\.json$/),
        ...filesIn("e2e/workspaces", /isolens\.json$/),
        ...texts(
          '{"level":"postgres:read-committed","transactions":{"a":{"level":"postgres:serializable"}},"distinct":[{"transaction":"a","parameters":["x","y"]}],"budget":"10s","maxTransactions":2,"exclude":["a/**"],"severities":{"lost-update":"error"}}',
        ),
      ],
      (text) => parseConfiguration(text),
    ),
    baseline: parsing(
      () =>
        texts(
          '{"formatVersion":1,"findings":[{"fingerprint":"abc","kind":"lost-update","transactions":["a","b"],"reason":"known"}]}',
        ),
      (text) => parseBaseline("baseline.json", text),
    ),
    level: parsing(
      () =>
        texts(
          '{"name":"my","label":"My level","axioms":["so <= vis","vis ; so <= vis"],"extends":"causal"}',
        ),
      (text) => parseLevelFile(text),
    ),
    client: parsing(
      () => [
        ...filesIn("clients", /\.json$/),
        ...texts(
          '{"sessions":[[{"transaction":[{"read":"x","as":"a"},{"write":"x","value":"a+1"}]}]],"initial":{"x":0},"assert":["x = 2"]}',
        ),
      ],
      (text) => readJsonClient(text),
    ),
  }),
);
