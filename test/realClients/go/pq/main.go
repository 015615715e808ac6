// lib/pq over database/sql: parameters, prepared statements, arrays, COPY and levels.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	. "isolens/clients/steps"

	"github.com/lib/pq"
)

func main() {
	CodeOf = func(err error) string {
		var known *pq.Error
		if errors.As(err, &known) {
			return string(known.Code)
		}
		return fmt.Sprintf("%T", err)
	}
	db, err := sql.Open("postgres", PostgresURL())
	if err != nil {
		panic(err)
	}
	defer db.Close()
	exec := func(query string, values ...any) func() (any, error) {
		return func() (any, error) {
			result, err := db.Exec(query, values...)
			if err != nil {
				return nil, err
			}
			return result.RowsAffected()
		}
	}
	Step("drop", exec("drop table if exists gp"))
	Step("create", exec("create table gp (id serial primary key, s text, b bytea, a text[], n numeric(10,2), at timestamptz)"))
	Step("insert", exec("insert into gp (s, b, a, n, at) values ($1, $2, $3, $4, '2024-02-29 12:00+00')", "x", []byte{0, 255}, pq.Array([]string{"a", "b,c"}), "1.50"))
	Step("select", func() (any, error) {
		var s, n string
		var b []byte
		var a []string
		var at any
		err := db.QueryRow("select s, b, a, n, at from gp where id = $1", 1).Scan(&s, &b, pq.Array(&a), &n, &at)
		return []any{s, b, fmt.Sprint(a), n, at}, err
	})
	Step("prepared", func() (any, error) {
		statement, err := db.Prepare("insert into gp (s) values ($1)")
		if err != nil {
			return nil, err
		}
		defer statement.Close()
		for _, each := range []any{"y", nil} {
			if _, err := statement.Exec(each); err != nil {
				return nil, err
			}
		}
		var count int
		err = db.QueryRow("select count(*) from gp").Scan(&count)
		return count, err
	})
	Step("copy", func() (any, error) {
		tx, err := db.Begin()
		if err != nil {
			return nil, err
		}
		statement, err := tx.Prepare(pq.CopyIn("gp", "s", "n"))
		if err != nil {
			return nil, err
		}
		for at := 0; at < 10; at++ {
			if _, err := statement.Exec(fmt.Sprint("c", at), at); err != nil {
				return nil, err
			}
		}
		if _, err := statement.Exec(); err != nil {
			return nil, err
		}
		if err := statement.Close(); err != nil {
			return nil, err
		}
		if err := tx.Commit(); err != nil {
			return nil, err
		}
		var sum string
		err = db.QueryRow("select sum(n) from gp").Scan(&sum)
		return sum, err
	})
	for name, level := range map[string]sql.IsolationLevel{"serializable": sql.LevelSerializable, "repeatable read": sql.LevelRepeatableRead, "read committed": sql.LevelReadCommitted} {
		Step("level "+name, func() (any, error) {
			tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: level})
			if err != nil {
				return nil, err
			}
			defer tx.Rollback()
			var shown string
			err = tx.QueryRow("select current_setting('transaction_isolation')").Scan(&shown)
			return shown, err
		})
	}
	Step("duplicate", exec("insert into gp (id) values (1)"))
	Step("columns", func() (any, error) {
		rows, err := db.Query("select id, s, n from gp limit 0")
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		types, err := rows.ColumnTypes()
		all := []any{}
		for _, each := range types {
			all = append(all, each.Name()+" "+each.DatabaseTypeName())
		}
		return all, err
	})
}
