// Edits where a program differs a little from the plain one: line ends, names that are taken, constructors, how a method is called.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { FixKind, FixReport } from "../../../server/src/protocol/fixes";
import type { Session } from "../../../server/src/service/session";
import { loadProjects } from "../../../server/src/workspace/projects";
import { openTestSession } from "./testSession";

const ROOT = path.join(__dirname, "..", "..", "fixes");

let session: Session;
const folder = mkdtempSync(path.join(tmpdir(), "isolens-variants-"));

before(async () => {
  session = await openTestSession();
});

after(async () => {
  await session.dispose();
  rmSync(folder, { recursive: true });
});

/** The fixes of a program of test/fixes with changed texts. */
async function variant(
  program: string,
  kind: FixKind,
  change: (text: string, file: string) => string,
): Promise<FixReport> {
  const own = mkdtempSync(path.join(folder, program));
  cpSync(path.join(ROOT, program), own, { recursive: true });
  for (const file of readdirSync(own)) {
    const place = path.join(own, file);
    writeFileSync(place, change(readFileSync(place, "utf8"), file));
  }
  const { projects } = await loadProjects([own], { cwd: own });
  const [project] = projects;
  assert.ok(project);
  const signal = AbortSignal.timeout(120_000);
  const { report } = await session.checkWorkspace({ project }, signal);
  const [anomaly] = report.anomalies;
  assert.ok(anomaly, "nothing is found");
  return session.fixes({ project, anomaly, kinds: [kind] }, signal);
}

/** Changes of an entity that leave no place for a version, and the reason. */
const VERSIONS: readonly (readonly [string, (text: string) => string, RegExp])[] = [
  [
    "behind a constructor of all fields",
    (text) => text.replace("@Entity", "@Entity\n@lombok.AllArgsConstructor"),
    /constructor of all fields/u,
  ],
  [
    "where its superclass is not known",
    (text) => text.replace("class Item", "class Item extends Base"),
    /Base, which it extends, may have a version/u,
  ],
  [
    "where the name means another class",
    (text) =>
      text.replace(
        "private int stock;",
        "private int stock;\n\n  @jakarta.persistence.Transient\n  private Version release;",
      ),
    /the name Version stands for another class/u,
  ],
];

describe("fixes of a program", () => {
  it("with line ends of Windows have these line ends", async () => {
    const { fixes } = await variant("jdbc-stock", "guarded-update", (text) =>
      text.replaceAll("\n", "\r\n"),
    );
    const texts = fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText));
    assert.ok(texts.some((text) => text.includes("\r\n")));
    assert.ok(texts.every((text) => !/(?<!\r)\n/u.test(text)));
  });

  for (const [name, change, reason] of VERSIONS)
    it(`give no entity a version ${name}`, async () => {
      const { fixes, advice } = await variant("jpa-stock", "version-check", (text, file) =>
        file === "Item.java" ? change(text) : text,
      );
      assert.deepEqual(fixes, []);
      assert.match(advice[0]?.reason ?? "", reason);
    });

  it("run a method of Spring again where its project has a library for that", async () => {
    const { fixes } = await variant("spring-stock", "raised-level", (text, file) =>
      file === "Stock.java"
        ? text
            .replace(
              "import org",
              "import org.springframework.retry.annotation.EnableRetry;\nimport org",
            )
            .replace("@Service", "@Service\n@EnableRetry")
        : text,
    );
    const texts = fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText));
    assert.deepEqual(texts, [
      "import org.springframework.dao.ConcurrencyFailureException;\n",
      "import org.springframework.retry.annotation.Retryable;\n",
      "import org.springframework.transaction.annotation.Isolation;\n",
      "@Retryable(ConcurrencyFailureException.class)\n  ",
      "(isolation = Isolation.SERIALIZABLE)",
    ]);
  });

  it("ask Prisma for the server's code where it sends statements of its own", async () => {
    const { fixes } = await variant("prisma-stock", "raised-level", (text, file) =>
      file === "take.ts"
        ? text.replace(
            /(\n *)(await tx\.item\.update)/u,
            "$1await tx.$executeRaw`UPDATE item SET stock = stock WHERE id = ${id}`;$1$2",
          )
        : text,
    );
    const texts = fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText)).join("\n");
    assert.match(
      texts,
      /code !== "P2034" && meta\?\.code !== "40001" && meta\?\.code !== "40P01"/u,
    );
  });

  it("lock by a method that gives as many rows as the one it stands for", async () => {
    const { fixes, advice } = await variant("spring-stock", "row-lock", (text, file) => {
      switch (file) {
        case "ItemRepository.java":
          return text
            .replace(" {}", " {\n  Optional<Item> findFirstByName(String name);\n}")
            .replace("\n\n", "\n\nimport java.util.Optional;\n");
        case "Item.java":
          return text.replace("private int stock;", "private int stock;\n\n  private String name;");
        case "Stock.java":
          return text
            .replace("findById(id)", "findFirstByName(name)")
            .replace("Long id", "String name");
        case "schema.sql":
          return text.replace("stock integer", "name text UNIQUE NOT NULL, stock integer");
        default:
          return text;
      }
    });
    const texts = fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText));
    assert.ok(
      texts.some((text) => text.includes("findFirstWithLockByName(String name);")),
      JSON.stringify([texts, advice]),
    );
  });
});
