// Maps of Java, where code goes over them.
import { check } from "./javaPrograms";

const PUT = `void put(long id, long n) { jdbc.update("INSERT INTO log (id, amount) VALUES (?, ?)", id, n); }`;

check(
  "the entries of a map that is spelled out",
  `${PUT} @Transactional public void run(long id, long n) {
    for (Map.Entry<Long, Long> each : Map.of(id, n, 7L, 8L).entrySet()) put(each.getKey(), each.getValue());
  }`,
  "explicit",
  "insert log {id = :id, account = null, amount = :n}",
  "insert log {id = 7, account = null, amount = 8}",
);

check(
  "keys, values, and each of both",
  `${PUT} @Transactional public void run(long id, long n) {
    Map<Long, Long> map = Map.ofEntries(Map.entry(id, n));
    for (Long key : map.keySet()) put(key, 1);
    for (Long value : map.values()) put(2, value);
    map.forEach((key, value) -> put(key, value));
  }`,
  "explicit",
  "insert log {id = :id, account = null, amount = 1}",
  "insert log {id = 2, account = null, amount = :n}",
  "insert log {id = :id, account = null, amount = :n}",
);

check(
  "a map whose keys are only known when it runs is not told apart",
  `@Transactional public void run(long id, long n) {
    Map<Long, Long> map = new HashMap<>(Map.of(1L, n));
    map.put(id, 3L);
    for (Long value : map.values()) jdbc.update("DELETE FROM log WHERE amount = ?", value);
  }`,
  "explicit",
  "loop unknown",
  "  delete log where (log.amount = unknown(3, 3))",
  "! a loop over something that is not known",
  "! an item of a list that is not known",
);
