// Package steps prints results one a line, so that those of two servers can be compared. Arguments: PRODUCT PORT.
package steps

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

var Product, Port = os.Args[1], os.Args[2]

// PostgresURL is where drivers of PostgreSQL connect.
func PostgresURL() string {
	return "postgres://app:secret@127.0.0.1:" + Port + "/app?sslmode=disable"
}

// MysqlDSN is where go-sql-driver/mysql connects.
func MysqlDSN(options string) string {
	return "app:secret@tcp(127.0.0.1:" + Port + ")/app?parseTime=true" + options
}

// Coded is an error that knows its code.
type coded interface{ SQLState() string }

// CodeOf gives the code of a server's error, as far as a driver keeps it.
var CodeOf = func(err error) string {
	var known coded
	if errors.As(err, &known) {
		return known.SQLState()
	}
	return fmt.Sprintf("%T", err)
}

func plain(value any) any {
	switch each := value.(type) {
	case time.Time:
		return each.UTC().Format(time.RFC3339Nano)
	case []byte:
		return "hex " + hex.EncodeToString(each)
	case []any:
		all := make([]any, len(each))
		for at, one := range each {
			all[at] = plain(one)
		}
		return all
	default:
		return value
	}
}

// Step runs and prints one step.
func Step(name string, run func() (any, error)) {
	defer func() {
		if thrown := recover(); thrown != nil {
			fmt.Printf("%s\t%q\n", name, fmt.Sprint("panic ", thrown))
		}
	}()
	value, err := run()
	if err != nil {
		if os.Getenv("ISOLENS_CLIENTS_VERBOSE") != "" {
			fmt.Fprintln(os.Stderr, name, err)
		}
		value = map[string]string{"error": CodeOf(err)}
	}
	text, err := json.Marshal(plain(value))
	if err != nil {
		text = []byte(fmt.Sprintf("%q", fmt.Sprint(value)))
	}
	fmt.Printf("%s\t%s\n", name, text)
}
