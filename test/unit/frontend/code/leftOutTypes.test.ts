// Fields that callers may leave out by what types, decorators and the schemas around a handler say of them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { losses, printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `datasource db { provider = "postgresql" }
model User { id Int @id
  name String
  note String? }`;
const HEAD = `import { PrismaClient } from "@prisma/client";
import { z } from "zod";
const prisma = new PrismaClient();
`;

/** The names that the program's functions set where they update. Nothing is lost. */
async function check(
  program: string,
  expected: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const found = await transactionsOf(SCHEMA, { ...more, "a.ts": HEAD + program });
  const sets = printed(found).flatMap((line) => / set (.*) where /u.exec(line)?.[1] ?? []);
  assert.deepEqual([sets, found.flatMap(losses)], [expected, []]);
}

const kept = (path: string, column = "name"): string =>
  `${column} = ((${path} is null) ? User.${column} : ${path})`;
const orNull = (path: string, column = "name"): string =>
  `${column} = (((${path} is null) and not (${path}.isNull == true)) ? User.${column} : ${path})`;

describe("what a type lets callers leave out", () => {
  const update = (type: string): string => `
export async function f(id: number, body: ${type}) {
  await prisma.user.update({ where: { id }, data: { name: body.name, note: "x" } });
}`;

  it("is each field of a Partial, and none of a Required", () =>
    check(
      `type Data = { name: string };
${update("Partial<Data>")}
${update("Required<Partial<Data>>").replace("f(", "g(")}`,
      [`${kept(":body.name")}, note = "x"`, `name = :body.name, note = "x"`],
    ));

  it("is what is left by Omit and Pick", () =>
    check(
      `type Data = { name?: string; id?: number };
${update('Omit<Data, "id">')}
${update('Pick<Data, "name">').replace("f(", "g(")}`,
      [`${kept(":body.name")}, note = "x"`, `${kept(":body.name")}, note = "x"`],
    ));

  it("is what the schema lets be missing that it is inferred from", () =>
    check(
      `const Whole = z.object({ name: z.string() });
const Some = Whole.partial();
type Body = z.infer<typeof Some>;
${update("Body")}
${update("z.infer<typeof Whole>").replace("f(", "g(")}
${update("{ id: number } & z.output<typeof Some>").replace("f(", "h(")}`,
      [
        `${kept(":body.name")}, note = "x"`,
        `name = :body.name, note = "x"`,
        `${kept(":body.name")}, note = "x"`,
      ],
    ));

  it("is what decorators of a field say, in what a class extends, too", () =>
    check(
      `import { Field, IsOptional, PartialType } from "elsewhere";
class Created { @Field() name: string; }
class Changed extends PartialType(Created) {}
class Asked { @Field(() => String, { nullable: true }) name: string; }
class Sent { @IsOptional() name: string; }
class Without { @Field({ nullable: true, defaultValue: undefined }) name: string; }
class With { @Field({ nullable: true, defaultValue: "a" }) name: string; }
class More extends Sent { other: string; }
${["Created", "Changed", "Asked", "More", "Without", "With"].map((type, at) => update(type).replace("f(", `f${String(at)}(`)).join("\n")}`,
      [
        `name = :body.name, note = "x"`,
        `${kept(":body.name")}, note = "x"`,
        `${orNull(":body.name")}, note = "x"`,
        `${orNull(":body.name")}, note = "x"`,
        `${orNull(":body.name")}, note = "x"`,
        `name = :body.name, note = "x"`,
      ],
    ));

  it("is what decorators of a parameter say", () =>
    check(
      `import { Args, Resolver } from "elsewhere";
@Resolver() export class Users {
  async f(@Args({ name: "name", nullable: true }) name: string) {
    await prisma.user.update({ where: { id: 1 }, data: { name, note: "x" } });
  }
}`,
      [`${orNull(":name")}, note = "x"`],
    ));
});

describe("what a default stands for", () => {
  it("is what is left out, and not null", () =>
    check(
      `export async function f(id: number, body: { name?: string; note?: string | null }, other: string = "b") {
  const { name = "a", note = "c" } = body;
  await prisma.user.update({ where: { id }, data: { name, note } });
  await prisma.user.update({ where: { id }, data: { name: other } });
}
export async function g(id: number) {
  const { name = "a", note = "c" } = await prisma.user.findUniqueOrThrow({ where: { id } });
  await prisma.user.update({ where: { id }, data: { name, note } });
}
export async function h(id: number) {
  const user = await prisma.user.findFirst({ where: { id } });
  const { name = "a", note = "c" } = { ...user };
  await prisma.user.updateMany({ where: { id }, data: { name, note } });
  let other;
  if (user) ({ note: other = "d" } = user);
  await prisma.user.updateMany({ where: { id }, data: { name: "x", note: other } });
}`,
      [
        `name = ((:body.name is null) ? "a" : :body.name), note = (((:body.note is null) and not (:body.note.isNull == true)) ? "c" : :body.note)`,
        `name = ((:other is null) ? "b" : :other)`,
        "name = r1.name, note = r1.note",
        `name = ((size(r1) > 0) ? r1.name : "a"), note = ((size(r1) > 0) ? r1.note : "c")`,
        `name = "x", note = ((size(r1) > 0) ? r1.note : User.note)`,
      ],
    ));
});

describe("what stands around a handler", () => {
  it("says by the schemas of a procedure what its input lacks", () =>
    check(
      `import { initTRPC } from "@trpc/server";
const t = initTRPC.create();
const Body = z.object({ id: z.number(), note: z.string().nullish() });
const named = t.procedure.input(z.object({ name: z.string().optional() }));
export const router = t.router({
  both: named.input(Body).mutation(async ({ input }) => {
    await prisma.user.update({ where: { id: input.id }, data: { name: input.name } });
  }),
  one: t.procedure.input(Body).mutation(async (opts) => {
    await prisma.user.update({ where: { id: opts.input.id }, data: { name: "x", note: opts.input.note } });
  }),
});`,
      ["name = :input.name", `name = "x", ${orNull(":opts.input.note", "note")}`],
    ));

  it("says by the schemas of a procedure all that its input holds", () =>
    check(
      `import { t } from "./trpc";
const Body = z.object({ id: z.number(), name: z.string(), note: z.string().optional() });
export const router = t.router({
  whole: t.procedure.input(Body.omit({ id: true })).mutation(async ({ input }) => {
    await prisma.user.update({ where: { id: 1 }, data: input });
  }),
  rest: t.procedure.input(Body).mutation(async ({ input: { id, ...data } }) => {
    await prisma.user.update({ where: { id }, data: { ...data, note: "x" } });
  }),
});`,
      [
        "name = :input.name, note = ((:input.note is null) ? User.note : :input.note)",
        'name = :input.name, note = "x"',
      ],
    ));

  it("says by the contract of a router what a body lacks", () =>
    check(
      `import { createNextRoute } from "@ts-rest/next";
import { contract } from "./contract";
const signedIn = (handler) => async (args) => handler(args);
export const routes = createNextRoute(contract, {
  users: {
    update: signedIn(async ({ body }) => {
      await prisma.user.update({ where: { id: 1 }, data: { name: body.name, note: "x" } });
    }),
  },
});`,
      [`${kept(":body.name")}, note = "x"`],
      {
        "contract.ts": `import { initContract } from "@ts-rest/core";
import { z } from "zod";
const c = initContract();
const User = z.object({ name: z.string() });
const users = c.router({ update: { method: "PATCH", path: "/:id", body: User.partial() } });
export const contract = c.router({ users });`,
      },
    ));
});

describe("an upsert", () => {
  const lines = async (body: string): Promise<readonly string[]> => {
    const found = await transactionsOf(SCHEMA, {
      "a.ts": `${HEAD}import { keyOf } from "elsewhere";
export async function f(row: { key: string }, name?: string) { ${body} }`,
    });
    return [...printed(found), ...found.flatMap(losses)];
  };

  it("is one statement where its key is one value, known or not", async () => {
    const all = await lines(`const user = await prisma.user.findFirst();
const id = keyOf(user?.note);
await prisma.user.upsert({ where: { id }, create: { id, name: "x" }, update: { name: "y" } });`);
    const written = all.filter((line) => /insert|update/u.test(line));
    assert.equal(written.length, 1, written.join("\n"));
    assert.match(written[0] ?? "", /on conflict \(id\) update name = "y"/u);
  });

  it("says that it is none where nothing may be left to update", async () => {
    const all = await lines(
      `await prisma.user.upsert({ where: { id: 1 }, create: { id: 1, name: "x" }, update: { name } });`,
    );
    assert.ok(all.includes("an upsert that may have nothing to update"), all.join("\n"));
  });
});

describe("a part of what may itself be missing", () => {
  const update = (head: string, name: string): string => `
export async function f(id: number, ${head}) {
  await prisma.user.update({ where: { id }, data: { name: ${name}, note: "x" } });
}`;
  const isLeftOut = (program: string): Promise<void> =>
    check(program, [`${kept(":body.data.name")}, note = "x"`]);

  it("is missing where it is asked for by ?.", async () => {
    await isLeftOut(update("body: { data?: { name: string } }", "body.data?.name"));
    await isLeftOut(update("body: { data: { name: string } | undefined }", "body.data?.name"));
  });

  it("is missing in a record that it is spread in", async () => {
    await isLeftOut(update("body: { data?: { name: string } }", "({ id, ...body.data }).name"));
    await check(update("body: { data?: { name: string } }", '({ name: "y", ...body.data }).name'), [
      'name = ((:body.data.name is null) ? "y" : :body.data.name), note = "x"',
    ]);
  });

  it("is what its schema makes of it where it is there", () =>
    check(
      `const Body = z.object({ data: z.object({ name: z.string().default("z") }).optional() });
${update("raw: unknown", "Body.parse(raw).data?.name")}`,
      ['name = ((:raw.data is null) ? User.name : coalesce(:raw.data.name, "z")), note = "x"'],
    ));

  it("has none of the defaults of what is missing as a whole", () =>
    check(
      `import { initTRPC } from "@trpc/server";
const t = initTRPC.create();
const Body = z.object({ id: z.number(), data: z.object({ tags: z.array(z.string()).default([]) }).optional() });
export const router = t.router({
  change: t.procedure.input(Body).mutation(async ({ input }) => {
    const data = { ...input.data };
    const name = data.tags === undefined ? "none" : "some";
    await prisma.user.update({ where: { id: input.id }, data: { name, note: "x" } });
  }),
});`,
      [
        'name = (((:input.data.tags is null) and not (:input.data.tags.isNull == true)) ? "none" : "some"), note = "x"',
      ],
    ));

  it("is there where only other parts may be missing", () =>
    check(
      update(
        "data: { name: string; other: { n: number | null | undefined } }",
        "({ ...data }).name",
      ),
      ['name = :data.name, note = "x"'],
    ));

  it("is what it is by its type where it may be undefined", () =>
    check(update("name: string | undefined", "name"), [`${kept(":name")}, note = "x"`]));
});

describe("fields of one of several types", () => {
  const program = (type: string, field = "name"): string => `
type Named = { kind: "named"; name: string; both: string };
type Noted = { kind: 'noted'; note: string; both?: string };
export async function f(id: number, body: ${type}) {
  await prisma.user.update({ where: { id }, data: { name: body.${field}, note: "x" } });
}`;

  it("are missing where the field that tells them apart says so", () =>
    check(program("Named | Noted"), [
      'name = ((:body.kind = "noted") ? User.name : :body.name), note = "x"',
    ]));

  it("may be missing where no field tells them apart, or in one of them", async () => {
    const expected = (field: string) => [`${kept(`:body.${field}`)}, note = "x"`];
    await check(program("{ name: string } | { id: number }"), expected("name"));
    await check(program("(Named | Noted) & { id: number }", "both"), expected("both"));
  });

  it("are missing where a schema says so, and what may be of several types is true as it is", async () => {
    const program = `const Body = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("named"), name: z.string(), is: z.string() }),
  z.object({ kind: z.literal("noted"), is: z.boolean() }),
]);
export const route = procedure.input(z.object({ id: z.number(), body: Body })).mutation(async ({ input: { id, body } }) => {
  if (!body.is) throw new Error();
  await prisma.user.update({ where: { id }, data: { name: body.name, note: body.is } });
});`;
    await check(program, [
      'name = ((:input.body.kind = "noted") ? User.name : :input.body.name), note = :input.body.is',
    ]);
    const lines = printed(await transactionsOf(SCHEMA, { "a.ts": HEAD + program }));
    const condition = "if not (not (:input.body.is is null) and code:truth_of_any(:input.body.is))";
    assert.equal(lines[1]?.trim(), condition);
  });

  it("are there where they are in all, or another type may have them", async () => {
    await check(program('Named | { kind: "other"; name: string }'), [
      'name = :body.name, note = "x"',
    ]);
    await check(program("Named | Foreign"), ['name = :body.name, note = "x"']);
  });
});

describe("what types do not say where null is not checked", () => {
  const program = (test: string): string => `${HEAD}
export async function f(id: number, name: string, isIt: boolean, other: string) {
  await prisma.user.update({ where: { id }, data: { name, note: other } });
  ${test}
}`;
  const lines = async (text: string, isOn = false): Promise<readonly string[]> => {
    const checks = [
      { folder: "", isOn: true },
      { folder: "loose", isOn },
    ];
    return printed(await transactionsOf(SCHEMA, { "loose/a.ts": text }, checks));
  };
  const setsOf = (printedLines: readonly string[]): readonly string[] =>
    printedLines.flatMap((line) => / set (.*) where /u.exec(line)?.[1] ?? []);
  const sets = async (test: string, isOn = false): Promise<readonly string[]> =>
    setsOf(await lines(program(test), isOn));

  it("is told by what a function asks of its parameters", async () => {
    const expected = [`${kept(":name")}, ${kept(":other", "note")}`];
    assert.deepEqual(await sets("if (!name) throw new Error(other);"), expected);
    assert.deepEqual(await sets("return isIt ? 1 : name ?? other;"), expected);
    assert.deepEqual(await sets("if (isIt && name !== undefined) return;"), expected);
  });

  it("is not told where null is checked", async () => {
    const expected = ["name = :name, note = :other"];
    assert.deepEqual(await sets("if (!name) throw new Error(other);", true), expected);
  });

  it("may be so of all that an update writes, and is not of what it looks for", async () => {
    const found = await lines(program('if (isIt || name === "x") throw new Error(other);'));
    assert.deepEqual(setsOf(found), [`${kept(":name")}, ${kept(":other", "note")}`]);
    assert.match(found[2] ?? "", /where \(User\.id = :id\)/u);
  });

  it("is what callers say that are known", async () => {
    const text = `${HEAD}
import { Args, Controller } from "elsewhere";
class Users {
  async change(id: number, name: string, note: string) {
    await prisma.user.updateMany({ where: { id }, data: { name, note } });
  }
}
@Controller() export class Handlers {
  constructor(private readonly users: Users) {}
  async f(@Args({ name: "name", nullable: true }) name: string, @Args() note: string) {
    await this.users.change(1, name, note);
  }
}`;
    assert.deepEqual(setsOf(await lines(text)), [`${orNull(":name")}, note = :note`]);
  });
});
