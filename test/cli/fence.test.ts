// Client programs that try to reach what is not theirs.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { isolens, makeFolder, type Folder } from "./cli";

const SECRET = "hunter2hunter2";

let folder: Folder;
let server: Server;
let visits = 0;
let port = 0;

before(async () => {
  folder = makeFolder({ "secret/passwd": SECRET, "client/data.json": '{ "own": 1 }' });
  server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address ? address.port : 0;
});

after(() => {
  server.close();
  folder.remove();
});

/** Explores a program whose one transaction does this; "reached" with what it gave, or "kept" with the error. */
async function tried(code: string, ...options: readonly string[]): Promise<string> {
  const [said = ""] = await triedEach([code], ...options);
  return said;
}

/** The same for several, each a transaction of one session, one after the other in one process. */
async function triedEach(
  codes: readonly string[],
  ...options: readonly string[]
): Promise<readonly string[]> {
  const text = `
const SECRET = ${JSON.stringify(path.join(folder.path, "secret", "passwd"))};
const PORT = ${String(port)};
const HERE = __dirname + "/written";
const soon = (start) => new Promise((resolve, reject) => { start(resolve, reject); });
${codes.map((code, at) => `const attack${String(at)} = async () => { ${code} };`).join("\n")}
const attacks = [${codes.map((_, at) => `attack${String(at)}`).join()}];
exports.schema = "create table t (id int primary key)";
exports.sessions = [attacks.map((attack) => async (db) => {
  await db.query("select id from t");
  try { const given = await attack(); return "reached " + String(given); }
  catch (error) { return "kept: " + error.message; }
})];
exports.assert = attacks.map((_, at) => {
  const says = (end) => { throw new Error("says " + at + " " + end.result("s1[" + at + "]")); };
  return Object.defineProperty(says, "name", { value: "says" + at });
});
`;
  folder.write("client/attack.client.cjs", text);
  const args = ["explore", "attack.client.cjs", ...options];
  const { out, error } = await isolens(args, { cwd: path.join(folder.path, "client") });
  const all = out.replace(/\s*\n\s+/g, " ") + error;
  return codes.map((_, at) => {
    const [, said] = new RegExp(`says ${String(at)} ((?:reached|kept)[^\\n]*)`).exec(all) ?? [];
    return said ?? out + error;
  });
}

const ATTACKS = [
  `return require("fs").readFileSync(SECRET, "utf8")`,
  `return (await require("fs/promises").readFile(SECRET, "utf8"))`,
  `return require("fs").readdirSync("/etc").length`,
  `require("fs").writeFileSync(HERE, "")`,
  `await require("fs").promises.writeFile(HERE, "")`,
  `require("fs").mkdirSync(HERE)`,
  `require("fs").unlinkSync(__filename)`,
  `require("fs").symlinkSync(SECRET, HERE)`,
  `return require("child_process").execSync("id")`,
  `return require("child_process").spawnSync("id").pid`,
  `return require("child_process").fork(__filename).pid`,
  `return new (require("worker_threads").Worker)("", { eval: true }).threadId`,
  `return require("cluster").fork()`,
  `return process.binding("tcp_wrap")`,
  `return process.binding("fs")`,
  `return process.dlopen({}, "/lib/x.node")`,
  `return process.kill(process.ppid, 0)`,
  `return require("module").register("data:text/javascript,")`,
  `return require("inspector").open(0)`,
  `return soon((ok, no) => require("net").connect(PORT, "127.0.0.1", ok).on("error", no))`,
  `return soon((ok, no) => new (require("net").Socket)().connect(PORT, "127.0.0.1", ok).on("error", no))`,
  `return soon((ok, no) => require("net").createServer().listen(0, ok).on("error", no))`,
  `return soon((ok, no) => require("http").get("http://127.0.0.1:" + PORT, ok).on("error", ok))`,
  `return soon((ok, no) => require("_http_client").ClientRequest("http://127.0.0.1:" + PORT))`,
  `return require("http").globalAgent.createConnection({ port: PORT })`,
  `return new (require("http").Agent)().createConnection({ port: PORT })`,
  `return soon((ok, no) => require("tls").connect(PORT, "127.0.0.1", ok).on("error", ok))`,
  `return require("http2").connect("http://127.0.0.1:" + PORT)`,
  `return (await fetch("http://127.0.0.1:" + PORT))`,
  `return soon((ok, no) => require("dgram").createSocket("udp4").send("x", PORT, "127.0.0.1", ok))`,
  `return soon((ok, no) => require("dns").lookup("localhost", ok))`,
  `return await require("dns/promises").resolve("localhost")`,
  `return new (require("dns").Resolver)().resolve("localhost", () => 0)`,
  `return require("dns").promises.lookup("localhost")`,
  `const net = require("net"); delete net.connect; net.connect = 1; Object.defineProperty(net, "connect", { value: 1 }); return net.connect`,
  `return process.mainModule.require("net").connect(PORT)`,
  `return module.constructor._load("net").connect(PORT)`,
  `return require("module").createRequire(__filename)("net").connect(PORT)`,
  `return process.getBuiltinModule("net").connect(PORT)`,
  `return (await (0, eval)("import('node:net')")).connect(PORT)`,
  `return process.stdout.constructor === undefined || new process.stdout.constructor().connect(PORT)`,
  `return require("vm").runInNewContext("this.constructor.constructor('return process')()").env.HOME.length`,
  `if (Object.keys(process.env).some((key) => !/^ELECTRON/.test(key))) return JSON.stringify(process.env); throw new Error("empty")`,
];

function chunks(all: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}

/** The value of a function that runs once, when it is first asked for. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

describe("the fence around client programs", () => {
  // Attacks share a process, as many as a session takes; one that changes modules has its own.
  const isAlone = (attack: string): boolean => attack.includes("delete net.connect");
  const groups = [
    ATTACKS.filter(isAlone),
    ...chunks(
      ATTACKS.filter((attack) => !isAlone(attack)),
      11,
    ),
  ];
  const said = groups.map((group) => lazy(() => triedEach(group)));
  for (const attack of ATTACKS) {
    it(`keeps in ${attack}`, async () => {
      const at = groups.findIndex((group) => group.includes(attack));
      const told = (await said[at]?.())?.[groups[at]?.indexOf(attack) ?? -1];
      assert.match(told ?? "", /^kept/);
      assert.equal(visits, 0);
      assert.deepEqual(readdirSync(path.join(folder.path, "client")).sort(), [
        "attack.client.cjs",
        "data.json",
      ]);
    });
  }

  it("lets it read its own folder", async () => {
    assert.match(await tried(`return require("./data.json").own`), /^reached 1/);
    assert.match(await tried(`return require("fs").readdirSync(__dirname).length`), /^reached 2/);
  });

  it("says how a module of elsewhere is read", async () => {
    folder.write("secret/shared.js", "exports.x = 1;");
    const said = await tried(`return require("../secret/shared.js").x`);
    assert.match(said, /^kept: .*shared\.js is not of this client program's package.*--allow/);
  });

  it("stands open with --allow", async () => {
    assert.match(
      await tried(`return require("fs").readFileSync(SECRET, "utf8")`, "--allow"),
      /^reached hunter2/,
    );
    assert.match(await tried(`return require("../secret/shared.js").x`, "--allow"), /^reached 1/);
  });

  it("stands while the file is loaded", async () => {
    folder.write(
      "client/early.client.mjs",
      `import fs from "node:fs";
fs.writeFileSync(new URL("written", "file://" + process.cwd() + "/").pathname, "");
export const sessions = [];`,
    );
    const cwd = path.join(folder.path, "client");
    const { code, error } = await isolens(["explore", "early.client.mjs"], { cwd });
    assert.equal(code, 3);
    assert.match(error, /early\.client\.mjs:2:1: .*restricted/);
    assert.ok(!existsSync(path.join(cwd, "written")));
  });

  it("ends code that never comes back, kills itself or takes all memory", async () => {
    for (const [code, says] of [
      ["for (;;);", /endless loop/],
      ["return 1; }; for (;;); {", /endless loop/],
      ["process.exit(7)", /the client's code ended the process/],
      [
        "const all = []; for (;;) all.push(new Array(1e6).fill(all.length))",
        /not enough memory|endless loop/,
      ],
    ] as const)
      assert.match(await tried(code), says);
  });
});
