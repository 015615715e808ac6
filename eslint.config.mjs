// Lint rules: type-checked TypeScript, import order without cycles (those of types count), and the direction of the folders
// (ARCHITECTURE.md lists them). A rule stands here when it guards something that review would miss.
import { createTypeScriptImportResolver } from "eslint-import-resolver-typescript";
import importX from "eslint-plugin-import-x";
import regexp from "eslint-plugin-regexp";
import { builtinModules } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import tseslint from "typescript-eslint";
import { commentSubject } from "./test/lint/commentSubject.mjs";
import { importCycles } from "./test/lint/importCycles.mjs";
import { outsideNames } from "./test/lint/outsideNames.mjs";

const root = path.dirname(fileURLToPath(import.meta.url));

/** Folders of server/src; each imports only from those before it. `lsp` and `cli` are siblings. */
const layers = [
  "protocol",
  "query",
  "program",
  "isolation",
  "history",
  "frontend",
  "solver",
  "store",
  "exploration",
  "sqlstore",
  "analysis",
  "engine",
  "replay",
  "testgen",
  "mock",
  "workspace",
  "record",
  "clients",
  "service",
];
const faces = ["lsp", "cli"];

/** Folders that do no IO, start no thread and know no editor. */
const core = layers.slice(0, layers.indexOf("engine"));

const server = (folder) => `./server/src/${folder}`;

/** Zones of `no-restricted-paths`: importing from `from` is an error in `target`. */
const zones = [
  ...layers.map((layer, at) => ({
    target: server(layer),
    from: [...layers.slice(at + 1), ...faces].map(server),
    message: `server/src/${layer} imports only from the folders before it: ${layers.slice(0, at).join(", ") || "none"}.`,
  })),
  { target: server("lsp"), from: server("cli"), message: "lsp and cli never import each other." },
  { target: server("cli"), from: server("lsp"), message: "lsp and cli never import each other." },
  { target: "./server/src", from: ["./client", "./webview", "./test"] },
  {
    target: ["./client", "./webview"],
    from: "./server/src",
    except: ["./protocol"],
    message: "The client and the webview import only from server/src/protocol.",
  },
  { target: "./client", from: ["./webview", "./test"] },
  { target: "./webview", from: ["./client", "./test"] },
];

const builtins = builtinModules.flatMap((name) => [name, `node:${name}`]);

/** Functions that open files: those that come from outside are opened in one place, which bounds and refuses. */
const opensFiles = ["createReadStream", "open", "read", "readFile", "readFileSync", "readSync"];
const readsOutside = ["node:fs", "node:fs/promises"].map((name) => ({
  name,
  importNames: opensFiles,
  message: "Read files from outside by workspace/regularFile.ts or textFile.ts.",
}));

const wholeParser = {
  name: "node-sql-parser",
  message: 'Import one dialect, as in "node-sql-parser/build/postgresql".',
};
const wholeD3Submodules = {
  regex: "^d3-",
  message: 'Import what you use from "d3".',
};

export default tseslint.config(
  {
    ignores: [
      "dist/**",
      ".tsbuild/**",
      "test-results/**",
      "test/editor/node_modules/**",
      "test/editor/.profile/**",
      "test/apps/**",
      "test/fixes/**",
      "test/data/**",
      "test/realClients/*/**",
      "test/e2e/workspaces/**",
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.ts"],
    plugins: {
      isolens: { rules: { "comment-subject": commentSubject, "outside-names": outsideNames } },
    },
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: root },
    },
    rules: {
      "isolens/comment-subject": "error",
      "isolens/outside-names": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", package: "node:test", name: ["test", "it", "describe", "suite"] },
          ],
        },
      ],
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/consistent-type-imports": [
        "error",
        { fixStyle: "separate-type-imports" },
      ],
      "@typescript-eslint/consistent-type-assertions": [
        "error",
        { assertionStyle: "as", objectLiteralTypeAssertions: "never" },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Records of closures stand where others have classes: no method here uses `this`.
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-unnecessary-type-arguments": "error",
      "@typescript-eslint/prefer-readonly": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "all" },
      ],
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
    },
  },
  {
    files: ["**/*.ts", "**/*.mjs"],
    plugins: { cycles: { rules: { imports: importCycles } }, "import-x": importX },
    settings: {
      "import-x/extensions": [".ts", ".mjs"],
      "import-x/parsers": { "@typescript-eslint/parser": [".ts"] },
      "import-x/resolver-next": [
        createTypeScriptImportResolver({
          project: ["server", "client", "webview", "test"].map((folder) =>
            path.join(root, folder, "tsconfig.json"),
          ),
          noWarnOnMultipleProjects: true,
        }),
      ],
    },
    rules: {
      eqeqeq: "error",
      "no-empty": "error",
      "no-var": "error",
      "prefer-const": "error",
      "max-lines": ["error", { max: 600 }],
      "no-warning-comments": ["error", { terms: ["todo", "fixme", "xxx"], location: "anywhere" }],
      "cycles/imports": "error",
      "import-x/no-default-export": "error",
      "import-x/no-duplicates": "error",
      "import-x/no-restricted-paths": ["error", { basePath: root, zones }],
      "import-x/order": [
        "error",
        { groups: [["builtin", "external"], "internal", "parent", "sibling", "index"] },
      ],
      "no-restricted-imports": ["error", { paths: [wholeParser], patterns: [wholeD3Submodules] }],
    },
  },
  { files: ["server/src/protocol/dictionary.ts"], rules: { "isolens/outside-names": "off" } },
  {
    // Their texts come from outside: none may make a pattern of ours go back over it again and again.
    files: ["server/src/**/*.ts", "client/src/**/*.ts", "webview/src/**/*.ts"],
    plugins: { regexp },
    rules: { "regexp/no-super-linear-backtracking": "error" },
  },
  {
    files: ["*.config.mjs", "**/*.d.ts", "test/support/countReporter.mjs"],
    rules: { "import-x/no-default-export": "off" },
  },
  {
    files: core.map((folder) => `server/src/${folder}/**/*.ts`),
    rules: {
      "no-console": "error",
      "no-restricted-globals": [
        "error",
        ...["process", "setTimeout", "setInterval", "setImmediate", "fetch", "performance"].map(
          (name) => ({ name, message: "The core does no IO and reads no clock: pass it in." }),
        ),
      ],
      "no-restricted-imports": [
        "error",
        {
          paths: [
            ...builtins.map((name) => ({ name, message: "The core does no IO." })),
            wholeParser,
          ],
          patterns: [
            wholeD3Submodules,
            { group: ["vscode", "vscode-*"], message: "The core knows no editor." },
            {
              group: ["z3-solver", "z3-solver/**"],
              message: "The core asks a solver through solver/solver.ts.",
            },
            {
              group: ["libpg-query", "libpg-query/**"],
              allowTypeImports: true,
              message: "The core asks the parser through frontend/sql/pg/pgParser.ts.",
            },
          ],
        },
      ],
    },
  },
  {
    files: ["engine", "replay", "testgen", "mock", "workspace", "clients", "service", ...faces].map(
      (folder) => `server/src/${folder}/**/*.ts`,
    ),
    // The place itself, what reads the package's own files, and what reads its own cache.
    ignores: [
      "server/src/workspace/regularFile.ts",
      "server/src/engine/packageFile.ts",
      "server/src/cli/version.ts",
      "server/src/service/cache/files.ts",
    ],
    rules: {
      "no-restricted-imports": [
        "error",
        { paths: [wholeParser, ...readsOutside], patterns: [wholeD3Submodules] },
      ],
    },
  },
  {
    files: ["server/src/**/*.ts"],
    ignores: ["server/src/cli/**", "server/src/cli.ts"],
    rules: { "no-console": "error" },
  },
  {
    files: ["webview/src/**/*.ts"],
    ignores: ["webview/src/host.ts", "webview/src/host/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "Identifier[name='acquireVsCodeApi']",
          message: "Only the host module talks to the editor.",
        },
      ],
    },
  },
  {
    files: ["server/src/**/*.ts"],
    ignores: ["server/src/query/nodes.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector:
            ":matches(Program, ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^Weak(Map|Set)$/]",
          message:
            "Facts about objects are `ofNode`, `ofNodes` or `attribute` of server/src/query/nodes.ts.",
        },
      ],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector:
            "CallExpression[callee.property.name=/^(skip|only|todo)$/][callee.object.name=/^(test|it|describe|suite)$/]",
          message: "No skipped tests: assert what happens today and say why it is wrong.",
        },
        {
          selector:
            "CallExpression[callee.name=/^(test|it|describe|suite)$/] > ObjectExpression > Property[key.name=/^(skip|only|todo)$/]",
          message: "No skipped tests: assert what happens today and say why it is wrong.",
        },
      ],
    },
  },
);
