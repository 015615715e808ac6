// Functions that the copies of Go's packages call which `goOverlay.ts` makes: they find the application's frames on the stack, and
// put the comment behind a statement.

/** A file of a package: `comment` behind a statement, and what it says of the frames of the application. */
export function goSource(packageName: string): string {
  return `package ${packageName}

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

const isolensMark = "/*isolens:"

// Texts of one place differ in as many ways, so that prepared statements are found again.
const isolensVariants = 16

var isolensRoot = func() string {
	root := os.Getenv("ISOLENS_ROOT")
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	return filepath.ToSlash(root) + "/"
}()

type isolensPlace struct {
	file string
	line int
	name string
}

func (place isolensPlace) isTest() bool {
	return strings.HasSuffix(place.file, "_test.go") || strings.Contains("/"+place.file, "/test/") || strings.Contains("/"+place.file, "/tests/")
}

func (place isolensPlace) written() string {
	return isolensEscaped(place.file) + ":" + strconv.Itoa(place.line) + ":" + isolensEscaped(place.name)
}

func isolensEscaped(text string) string {
	var written strings.Builder
	for at := 0; at < len(text); at++ {
		letter := text[at]
		isPlain := letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z' || letter >= '0' && letter <= '9' || strings.IndexByte("_./-", letter) >= 0
		if isPlain {
			written.WriteByte(letter)
		} else {
			written.WriteString("~" + string("0123456789ABCDEF"[letter>>4]) + string("0123456789ABCDEF"[letter&15]))
		}
	}
	return written.String()
}

// "shop/store.(*Store).Withdraw.func1" is Store.Withdraw: a function is of the one that it stands in.
func isolensName(function string) string {
	_, name, _ := strings.Cut(function[strings.LastIndex(function, "/")+1:], ".")
	name = strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(name)
	for _, inner := range []string{".func", ".gowrap", ".deferwrap", "-range", "-fm"} {
		if at := strings.Index(name, inner); at > 0 {
			name = name[:at]
		}
	}
	return name
}

// The application's functions on the stack, nearest first. What calls a handler of a request stands around all of them.
func isolensPlaces() []isolensPlace {
	counters := make([]uintptr, 128)
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters)])
	var own []isolensPlace
	for {
		frame, more := frames.Next()
		file := filepath.ToSlash(frame.File)
		isOwn := strings.HasPrefix(file, isolensRoot) && !strings.Contains(file, "/vendor/")
		if isOwn {
			own = append(own, isolensPlace{file[len(isolensRoot):], frame.Line, isolensName(frame.Function)})
		} else if len(own) > 0 && (strings.HasSuffix(frame.Function, ".ServeHTTP") || strings.HasSuffix(frame.Function, "Context).Next")) {
			return own
		}
		if !more {
			return own
		}
	}
}

type isolensCall struct {
	key          string
	line, number int
	sent         map[string]bool
}

var isolensCalls = struct {
	sync.Mutex
	count int
	of    map[string]*isolensCall
}{of: map[string]*isolensCall{}}

func isolensGoroutine() string {
	var head [64]byte
	words := strings.Fields(string(head[:runtime.Stack(head[:], false)]))
	return words[1]
}

// A call goes forward in its function; where it is behind its last place, or sends on the same line what it sent there
// before, another call has begun.
func isolensNumber(entry isolensPlace, sql string) int {
	goroutine := isolensGoroutine()
	key := entry.file + ":" + entry.name
	isolensCalls.Lock()
	defer isolensCalls.Unlock()
	before := isolensCalls.of[goroutine]
	if before != nil && before.key == key && (before.line < entry.line || before.line == entry.line && !before.sent[sql]) {
		if before.line < entry.line {
			before.sent = map[string]bool{}
		}
		before.line = entry.line
		before.sent[sql] = true
		return before.number
	}
	if len(isolensCalls.of) > 4096 {
		isolensCalls.of = map[string]*isolensCall{}
	}
	isolensCalls.count++
	number := isolensCalls.count % isolensVariants
	isolensCalls.of[goroutine] = &isolensCall{key, entry.line, number, map[string]bool{sql: true}}
	return number
}

func isolensComment(sql string) string {
	own := isolensPlaces()
	if len(own) == 0 {
		return ""
	}
	var nearest, outermost *isolensPlace
	for at := range own {
		place := &own[at]
		if place.isTest() {
			continue
		}
		if nearest == nil {
			nearest = place
		}
		if place.name != "main" && !strings.HasPrefix(place.name, "init") {
			outermost = place
		}
	}
	if nearest == nil {
		return isolensMark + own[0].written() + ";;*/"
	}
	if outermost == nil {
		outermost = nearest
	}
	return isolensMark + nearest.written() + ";" + outermost.written() + ";" + strconv.Itoa(isolensNumber(*outermost, sql)) + "*/"
}

func isolensBehind(sql, comment string) string {
	if comment == "" || strings.Contains(sql, isolensMark) {
		return sql
	}
	if strings.Contains(sql[strings.LastIndexByte(sql, '\\n')+1:], "--") {
		return sql + "\\n" + comment
	}
	return sql + comment
}

func isolensCommented(sql string) string {
	if strings.Contains(sql, isolensMark) {
		return sql
	}
	return isolensBehind(sql, isolensComment(sql))
}

// The statement as it was.
func isolensBare(sql string) string {
	if at := strings.LastIndex(sql, isolensMark); at >= 0 {
		return strings.TrimSuffix(sql[:at], "\\n")
	}
	return sql
}
`;
}
