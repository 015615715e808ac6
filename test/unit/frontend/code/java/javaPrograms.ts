// Small classes that use JDBC and Spring, and what their methods are as the AR.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transaction } from "../../../../../server/src/program/program";
import { renderCommand } from "../../sql/render";
import { transactionsOf } from "../codePrograms";
import { losses } from "../prismaPrograms";

export const DDL = `
  CREATE TABLE accounts (id bigint PRIMARY KEY, owner bigint NOT NULL, balance bigint NOT NULL);
  CREATE TABLE log (id bigint PRIMARY KEY, account bigint, amount bigint);
`;

export const IMPORTS = `
  import java.sql.*;
  import java.util.*;
  import javax.sql.DataSource;
  import org.springframework.jdbc.core.*;
  import org.springframework.jdbc.core.namedparam.*;
  import org.springframework.jdbc.core.simple.*;
  import org.springframework.jdbc.support.*;
  import org.springframework.transaction.annotation.*;
  import org.springframework.transaction.support.*;
`;

const FIELDS = `
  private DataSource source;
  private JdbcTemplate jdbc;
  private NamedParameterJdbcTemplate named;
  private TransactionTemplate template;
  private JdbcClient client;
`;

/** The last of a class's methods: its boundary and level, its commands, and what was lost. */
export function check(name: string, methods: string, ...expected: readonly string[]): void {
  test(name, async () => {
    const text = `${IMPORTS} class C { ${FIELDS} ${methods} }`;
    const last = (await transactionsOf(DDL, { "src/C.java": text })).at(-1);
    assert.ok(last, "there is a transaction");
    assert.deepEqual(shown(last), expected);
  });
}

export function shown(transaction: Transaction): readonly string[] {
  const { boundary, level, body } = transaction;
  const lost = losses(transaction).map((reason) => `! ${reason}`);
  const head = level === undefined ? boundary : `${boundary} @ ${level.name}`;
  return [head, ...renderCommand(body, ""), ...lost];
}
