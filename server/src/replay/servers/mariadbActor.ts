// The replay user on MariaDB and MySQL: without global rights, hence without FILE and other schemas.
import { randomBytes } from "node:crypto";
import { asAdministrator, firstLogin, NoActor, type Actor } from "./actor";
import type { LogIn } from "./postgresActor";
import type { LiveSession } from "./liveSession";

/** Creates the user, as `postgresActor` does, with rights on `schema`. */
export async function mariadbActor(
  admin: LiveSession,
  name: string,
  schema: string,
  logIn: LogIn,
): Promise<Actor> {
  const password = randomBytes(16).toString("hex");
  const asked = await admin.execute("SELECT USER() AS user");
  const user = asked.ok ? String(asked.rows[0]?.["user"]) : "";
  // This machine's host as the server sees it; an account of a more specific host would take precedence over '%'.
  const host = user.slice(user.lastIndexOf("@") + 1).replaceAll("'", "");
  const account = `'${name}'@'${host}'`;
  await asAdministrator(
    admin,
    `CREATE USER ${account} IDENTIFIED BY '${password}'`,
    "give your user CREATE USER (GRANT CREATE USER ON *.* TO ...)",
  );
  const drop = (): Promise<void> =>
    asAdministrator(admin, `DROP USER ${account}`, `drop the user ${account} by hand`);
  try {
    await asAdministrator(
      admin,
      // A schema name is a pattern here.
      `GRANT ALL PRIVILEGES ON \`${schema.replaceAll("_", "\\_")}\`.* TO ${account}`,
      "give your user all rights on schemas isolens_replay_%, WITH GRANT OPTION",
    );
    const open = (): Promise<LiveSession> => logIn(name, password);
    const first = await firstLogin(open, "the server must let new users in with a password");
    try {
      await refuseReach(first, name, schema);
    } finally {
      await first.close();
    }
    return { open, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Throws `NoActor` if the server took it for another user, or if everyone may use other schemas. */
async function refuseReach(session: LiveSession, name: string, schema: string): Promise<void> {
  const result = await session.execute(
    `SELECT CURRENT_USER() AS name FROM DUAL
     UNION ALL SELECT schema_name FROM information_schema.schemata
       WHERE schema_name NOT IN ('information_schema', 'performance_schema', '${schema}')`,
  );
  const [self, other] = result.ok ? result.rows : [];
  if (!String(self?.["name"]).startsWith(`${name}@`))
    throw new NoActor("the server takes the user made for the run for another one");
  if (other !== undefined)
    throw new NoActor(
      `everyone on this server may use the schema ${String(other["name"])}, and so would the workspace's statements; take that back (REVOKE, or DROP DATABASE test)`,
    );
}
