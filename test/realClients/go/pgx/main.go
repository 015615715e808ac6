// pgx: types in binary form, batches, COPY, transactions, cancellation, pools and the simple protocol.
package main

import (
	"context"
	"fmt"
	"time"

	. "isolens/clients/steps"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, PostgresURL())
	if err != nil {
		panic(err)
	}
	defer c.Close(ctx)
	one := func(query string, values ...any) (any, error) {
		rows, err := c.Query(ctx, query, values...)
		if err != nil {
			return nil, err
		}
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (any, error) { return row.Values() })
		return all, err
	}
	Step("create", func() (any, error) {
		_, err := c.Exec(ctx, "drop table if exists gx")
		if err != nil {
			return nil, err
		}
		_, err = c.Exec(ctx, "create table gx (id serial primary key, n numeric, ts timestamptz, tsn timestamp, d date, jb jsonb, b bytea, a int[], ta text[], u uuid, s text, iv interval, i2 smallint)")
		return "ok", err
	})
	Step("insert typed", func() (any, error) {
		var id int
		err := c.QueryRow(ctx, "insert into gx (n,ts,tsn,d,jb,b,a,ta,u,s,iv,i2) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12) returning id", "1.50", time.Unix(0, 0), time.Unix(5, 0).UTC(), time.Unix(0, 0).UTC(), map[string]any{"x": 1}, []byte{0, 255}, []int32{1, 2}, []string{"x", "y,z"}, "00000000-0000-0000-0000-000000000005", "h世😀", time.Hour, int16(7)).Scan(&id)
		return id, err
	})
	Step("select types", func() (any, error) {
		var n float64
		var ts, tsn, d time.Time
		var jb map[string]any
		var b []byte
		var a []int32
		var ta []string
		var u [16]byte
		var s string
		var iv time.Duration
		err := c.QueryRow(ctx, "select n::float8,ts,tsn,d,jb,b,a,ta,u,s,iv from gx order by id desc limit 1").Scan(&n, &ts, &tsn, &d, &jb, &b, &a, &ta, &u, &s, &iv)
		return fmt.Sprint(n, ts.UTC(), tsn, d, jb, b, a, ta, u, s, iv), err
	})
	for _, each := range []string{"1::int8", "1.50::numeric", "'a'::varchar(3)", "true", "null::text", "array[1,null]", "'1 day 2 hours'::interval", "'[1,5)'::int4range", "'10.0.0.1/8'::inet", "'{\"a\":[1]}'::json", "'2024-02-29'::date", "'infinity'::timestamp", "row(1,'a')::text", "'x'::\"char\"", "1.5::real", "'12:00'::time", "'00000000-0000-0000-0000-000000000001'::uuid"} {
		Step(each, func() (any, error) {
			value, err := one("select " + each)
			return fmt.Sprint(value), err
		})
	}
	Step("batch", func() (any, error) {
		batch := &pgx.Batch{}
		for at := 0; at < 50; at++ {
			batch.Queue("select $1::int", at)
		}
		results := c.SendBatch(ctx, batch)
		sum := 0
		for at := 0; at < 50; at++ {
			var x int
			if err := results.QueryRow().Scan(&x); err != nil {
				return nil, err
			}
			sum += x
		}
		return sum, results.Close()
	})
	Step("batch with an error", func() (any, error) {
		batch := &pgx.Batch{}
		batch.Queue("insert into gx (s) values ('batch')")
		batch.Queue("select 1/0")
		err := c.SendBatch(ctx, batch).Close()
		value, _ := one("select count(*) from gx where s = 'batch'")
		return []any{CodeOf(err), fmt.Sprint(value)}, nil
	})
	Step("copy", func() (any, error) {
		return c.CopyFrom(ctx, pgx.Identifier{"gx"}, []string{"s", "a", "ts"}, pgx.CopyFromRows([][]any{{"a", []int32{1}, time.Unix(1, 0)}, {"b", nil, nil}}))
	})
	Step("copied", func() (any, error) { return one("select s, a, ts from gx where s in ('a', 'b') order by s") })
	Step("savepoint", func() (any, error) {
		err := pgx.BeginTxFunc(ctx, c, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "insert into gx (s) values ('t')"); err != nil {
				return err
			}
			_ = pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error {
				_, err := inner.Exec(ctx, "insert into gx (id) values (1)")
				return err
			})
			_, err := tx.Exec(ctx, "insert into gx (s) values ('u')")
			return err
		})
		if err != nil {
			return nil, err
		}
		return one("select s from gx where s in ('t', 'u') order by s")
	})
	Step("read only", func() (any, error) {
		tx, err := c.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
		if err != nil {
			return nil, err
		}
		defer tx.Rollback(ctx)
		_, err = tx.Exec(ctx, "insert into gx (s) values ('r')")
		return "written", err
	})
	Step("level", func() (any, error) {
		tx, err := c.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
		if err != nil {
			return nil, err
		}
		defer tx.Rollback(ctx)
		var level string
		err = tx.QueryRow(ctx, "show transaction_isolation").Scan(&level)
		return level, err
	})
	Step("any", func() (any, error) { return one("select count(*) from gx where id = any($1)", []int{1, 2}) })
	Step("duplicate", func() (any, error) { return one("insert into gx (id) values (1)") })
	Step("no table", func() (any, error) { return one("select * from nothing") })
	Step("bad argument", func() (any, error) { return one("select $1::int", "x") })
	Step("advisory lock waits", func() (any, error) {
		other, err := pgx.Connect(ctx, PostgresURL())
		if err != nil {
			return nil, err
		}
		defer other.Close(ctx)
		if _, err := c.Exec(ctx, "select pg_advisory_lock(7)"); err != nil {
			return nil, err
		}
		var free bool
		if err := other.QueryRow(ctx, "select pg_try_advisory_lock(7)").Scan(&free); err != nil {
			return nil, err
		}
		if _, err := c.Exec(ctx, "select pg_advisory_unlock(7)"); err != nil {
			return nil, err
		}
		var then bool
		err = other.QueryRow(ctx, "select pg_try_advisory_lock(7)").Scan(&then)
		return []any{free, then}, err
	})
	Step("cancel", func() (any, error) {
		short, stop := context.WithTimeout(ctx, 500*time.Millisecond)
		defer stop()
		other, err := pgx.Connect(ctx, PostgresURL())
		if err != nil {
			return nil, err
		}
		defer other.Close(ctx)
		tx, err := c.Begin(ctx)
		if err != nil {
			return nil, err
		}
		defer tx.Rollback(ctx)
		if _, err := tx.Exec(ctx, "update gx set s = 'l' where id = 1"); err != nil {
			return nil, err
		}
		_, err = other.Exec(short, "update gx set s = 'm' where id = 1")
		return err != nil, nil
	})
	Step("simple protocol", func() (any, error) {
		config, err := pgx.ParseConfig(PostgresURL())
		if err != nil {
			return nil, err
		}
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
		other, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		defer other.Close(ctx)
		var text string
		err = other.QueryRow(ctx, "select $1::text", "x'y").Scan(&text)
		return text, err
	})
	Step("pool", func() (any, error) {
		config, err := pgxpool.ParseConfig(PostgresURL())
		if err != nil {
			return nil, err
		}
		config.MaxConns = 20
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		defer pool.Close()
		done := make(chan error, 200)
		for at := 0; at < 200; at++ {
			go func() {
				var x int
				done <- pool.QueryRow(ctx, "select $1::int", at).Scan(&x)
			}()
		}
		for at := 0; at < 200; at++ {
			if err := <-done; err != nil {
				return nil, err
			}
		}
		return 200, nil
	})
}
