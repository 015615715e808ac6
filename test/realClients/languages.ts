// How programs of each language are started, and how what they need is installed.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Client, Language } from "./clients";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

type Found =
  { readonly ok: true; readonly value: Command } | { readonly ok: false; readonly reason: string };

const HERE = __dirname;

/** How to start a client with packages from that folder, or what is missing. */
export function commandFor(client: Client, folder: string): Found {
  const own = path.join(folder, client.language);
  switch (client.language) {
    case "node": {
      const missing = client.packages.filter(
        (name) => !existsSync(path.join(own, "node_modules", name, "package.json")),
      );
      if (missing.length > 0) return absent(`no package ${missing.join(", ")}`);
      // Modules are looked for where a program really is.
      const programs = path.join(own, "programs");
      rmSync(programs, { recursive: true, force: true });
      cpSync(path.join(HERE, "node"), programs, { recursive: true });
      return command(process.execPath, [path.join(programs, client.program)], own, {
        ISOLENS_CLIENTS_NODE: own,
      });
    }
    case "python": {
      const python = path.join(own, "bin", "python");
      if (!existsSync(python)) return absent("no virtual environment");
      const modules = client.packages.filter((name) => !isInstalled(python, name));
      if (modules.length > 0) return absent(`no package ${modules.join(", ")}`);
      return command(python, [path.join(HERE, "python", client.program)], own, {});
    }
    case "shell": {
      const [name = ""] = client.packages;
      return isThere(name)
        ? command(path.join(HERE, "shell", client.program), [], HERE, {})
        : absent(`no command ${name}`);
    }
    case "java": {
      const classes = path.join(own, "target", "classes");
      return existsSync(path.join(classes, `${client.program}.class`))
        ? command("java", ["-cp", classPath(own, client.program), client.program], own, {})
        : absent("not built with Maven");
    }
    case "go": {
      const built = path.join(own, "bin", client.program);
      return existsSync(built) ? command(built, [], own, {}) : absent("not built with Go");
    }
    case "rust": {
      const built = path.join(own, "target", "debug", client.program);
      return existsSync(built) ? command(built, [], own, {}) : absent("not built with Cargo");
    }
    case "ruby":
      if (!existsSync(path.join(HERE, "ruby", client.program))) return absent("no program yet");
      return isThere("ruby")
        ? command("ruby", [path.join(HERE, "ruby", client.program)], HERE, {})
        : absent("no command ruby");
  }
}

/** The older release of a driver goes before the newer one. */
function classPath(own: string, program: string): string {
  const target = path.join(own, "target");
  const older = program.endsWith("8") ? [path.join(target, "older", "*")] : [];
  return [path.join(target, "classes"), ...older, path.join(target, "lib", "*")].join(":");
}

function command(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Found {
  return { ok: true, value: { program, args, cwd, env } };
}

function absent(reason: string): Found {
  return { ok: false, reason };
}

function isThere(name: string): boolean {
  return spawnSync("which", [name]).status === 0;
}

function isInstalled(python: string, name: string): boolean {
  const plain = name.replace(/\[.*\]/u, "");
  const script = `import importlib.metadata as m; m.version(${JSON.stringify(plain)})`;
  return spawnSync(python, ["-c", script]).status === 0;
}

/** Installs what the clients need into the folder, by the installers of their languages; says what could not be. */
export function install(clients: readonly Client[], folder: string): void {
  const languages = new Set(clients.map(({ language }) => language));
  for (const language of languages) {
    const own = path.join(folder, language);
    mkdirSync(own, { recursive: true });
    const packages = [
      ...new Set(clients.flatMap((each) => (each.language === language ? each.packages : []))),
    ];
    for (const [program, ...args] of INSTALLERS[language]?.(own, packages) ?? []) {
      const run = spawnSync(program ?? "", args, { cwd: own, stdio: "inherit" });
      if (run.status !== 0) console.log(`${language}: ${[program, ...args].join(" ")} failed`);
    }
  }
}

const INSTALLERS: Partial<
  Record<Language, (folder: string, packages: readonly string[]) => readonly (readonly string[])[]>
> = {
  node: (folder, packages) => [
    ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", ...packages.map(versioned)],
  ],
  python: (folder, packages) => [
    ["python3", "-m", "venv", folder],
    // One that cannot be built does not keep the others away.
    ...packages.map((name) => [path.join(folder, "bin", "pip"), "install", "--quiet", name]),
  ],
  java: (folder) => [
    ["cp", "-r", `${path.join(HERE, "java")}/.`, folder],
    ["mvn", "-q", "-B", "package", "dependency:copy-dependencies", "-DoutputDirectory=target/lib"],
    [
      ...["mvn", "-q", "-B", "dependency:copy", "-Dartifact=com.mysql:mysql-connector-j:8.4.0"],
      "-DoutputDirectory=target/older",
    ],
  ],
  go: (folder) => [
    ["cp", "-r", `${path.join(HERE, "go")}/.`, folder],
    ["go", "mod", "tidy"],
    ["go", "build", "-o", `bin${path.sep}`, "./..."],
  ],
  rust: (folder) => [
    ["cp", "-r", `${path.join(HERE, "rust")}/.`, folder],
    ["cargo", "build", "--quiet"],
  ],
};

/** Versions that belong together. */
function versioned(name: string): string {
  if (/^(prisma|@prisma\/)/u.test(name)) return `${name}@6`;
  return name.startsWith("@mikro-orm/") ? `${name}@6.6.7` : name;
}
