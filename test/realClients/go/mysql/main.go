// go-sql-driver/mysql over database/sql, with prepared statements and with values in the text.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	. "isolens/clients/steps"

	"github.com/go-sql-driver/mysql"
)

func main() {
	CodeOf = func(err error) string {
		var known *mysql.MySQLError
		if errors.As(err, &known) {
			return fmt.Sprint(known.Number, " ", string(known.SQLState[:]))
		}
		return fmt.Sprintf("%T", err)
	}
	mysql.RegisterReaderHandler("rows", func() io.Reader { return strings.NewReader("1,x\n2,\\N\n") })
	for name, options := range map[string]string{"prepared": "", "text": "&interpolateParams=true"} {
		db, err := sql.Open("mysql", MysqlDSN(options))
		if err != nil {
			panic(err)
		}
		step := func(what string, run func() (any, error)) { Step(name+": "+what, run) }
		exec := func(query string, values ...any) func() (any, error) {
			return func() (any, error) {
				result, err := db.Exec(query, values...)
				if err != nil {
					return nil, err
				}
				id, _ := result.LastInsertId()
				count, _ := result.RowsAffected()
				return []any{id, count}, nil
			}
		}
		step("drop", exec("drop table if exists gm"))
		step("create", exec("create table gm (id bigint auto_increment primary key, n decimal(10,2), ts datetime(3), j json, b blob, s varchar(40), f double, bl tinyint(1), key own (s))"))
		step("insert", exec("insert into gm (n,ts,j,b,s,f,bl) values (?,?,?,?,?,?,?)", "1.50", time.Unix(0, 5e6).UTC(), `{"x": 1}`, []byte{0, 255, 65}, "h世😀'", 1.5, true))
		step("select", func() (any, error) {
			var n, s, j string
			var ts time.Time
			var b []byte
			var f float64
			var bl bool
			err := db.QueryRow("select n,ts,j,b,s,f,bl from gm where id = ?", 1).Scan(&n, &ts, &j, &b, &s, &f, &bl)
			return []any{n, ts, j, b, s, f, bl}, err
		})
		step("null", exec("insert into gm (s) values (?)", nil))
		step("level", func() (any, error) {
			tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelSerializable})
			if err != nil {
				return nil, err
			}
			if _, err := tx.Exec("update gm set n = n + ? where id = ?", 1, 1); err != nil {
				return nil, err
			}
			return "ok", tx.Commit()
		})
		step("read only", func() (any, error) {
			tx, err := db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
			if err != nil {
				return nil, err
			}
			defer tx.Rollback()
			_, err = tx.Exec("update gm set n = 1 where id = 1")
			return "written", err
		})
		step("duplicate", exec("insert into gm (id) values (?)", 1))
		step("no table", exec("select * from nothing"))
		step("no variable", exec("set nothing = 1"))
		step("load data", exec("load data local infile 'Reader::rows' into table gm fields terminated by ',' (n, s)"))
		step("show index", func() (any, error) {
			rows, err := db.Query("show index from gm")
			if err != nil {
				return nil, err
			}
			defer rows.Close()
			columns, err := rows.Columns()
			return strings.Join(columns, " "), err
		})
		step("show create table", func() (any, error) {
			var table, text string
			err := db.QueryRow("show create table gm").Scan(&table, &text)
			return text, err
		})
		step("columns", func() (any, error) {
			rows, err := db.Query("select id, n, ts, s, bl from gm limit 0")
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
		db.Close()
	}
}
