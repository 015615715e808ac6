package isolens;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The comment that names the place of a statement: frames whose source is in the application's folder are its own. */
public final class CallSites {
  private static final String MARK = "/*isolens:";
  private static final Pattern SOURCE = Pattern.compile(".*\\.(java|kt|kts|scala|groovy)");
  private static final Pattern SKIPPED = Pattern.compile("\\..*|node_modules|target|build");
  private static final Pattern TEST =
      Pattern.compile(
          "(^|.*/)(tests?|src/\\w*[tT]est\\w*)/.*|.*(Tests?|IT|Spec|TestCase)\\.\\w+|(^|.*/)Test[A-Z]\\w*\\.\\w+");
  private static final Pattern NO_ENTRY = Pattern.compile("main|<init>|<clinit>");
  private static final Pattern LAMBDA = Pattern.compile("lambda\\$(\\w+)\\$\\d+|(\\w+)\\$lambda\\$.*");
  /** Kotlin's and Scala's functions within a method are classes. */
  private static final Pattern INNER = Pattern.compile("(.+)\\$([a-z]\\w*)\\$\\d+");
  /** Texts of one place differ in as many ways, so that prepared statements are found again. */
  private static final int VARIANTS = 16;

  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final ThreadLocal<Call> CALLS = new ThreadLocal<>();
  private static final Set<String> SAID = Collections.synchronizedSet(new HashSet<>());

  private static final class Place {
    final String file, name;
    /** That of no source, in a class that a framework made of one of the application. */
    static final int NONE = Integer.MAX_VALUE;
    final int line;

    Place(String file, int line, String name) {
      this.file = file;
      this.line = line;
      this.name = name;
    }

    String key() {
      return file + ":" + name;
    }

    String written(int known) {
      return escaped(file) + ":" + (line == NONE ? known : line) + ":" + escaped(name);
    }
  }

  private static final class Call {
    final String key;
    final int number = COUNT.incrementAndGet() % VARIANTS;
    final Set<String> sent = new HashSet<>();
    int line, known;

    Call(String key) {
      this.key = key;
    }
  }

  private CallSites() {}

  static void tell(String what, Throwable problem) {
    String text = "isolens: no call site of " + what + ": " + problem;
    if (SAID.add(text)) System.err.println(text);
  }

  /** The statement with its comment. */
  public static String commented(String sql) {
    if (sql == null || sql.contains(MARK) || sql.trim().startsWith("{")) return sql;
    try {
      String comment = comment(sql);
      int end = sql.length();
      while (end > 0 && (Character.isWhitespace(sql.charAt(end - 1)) || sql.charAt(end - 1) == ';')) end--;
      boolean isInLine = sql.substring(sql.lastIndexOf('\n', end) + 1, end).contains("--");
      String before = isInLine && !comment.isEmpty() ? "\n" : "";
      return sql.substring(0, end) + before + comment + sql.substring(end);
    } catch (RuntimeException problem) {
      tell("a statement", problem);
      return sql;
    }
  }

  private static String comment(String sql) {
    List<Place> own = places();
    if (own.isEmpty()) return "";
    Place nearest = null, outermost = null;
    int entered = dispatched(own);
    for (int at = 0; at < own.size(); at++) {
      Place place = own.get(at);
      if (TEST.matcher(place.file).matches()) continue;
      if (nearest == null) nearest = place;
      if (at <= entered && !isNoEntry(place))
        // A class that a framework made calls the application's own.
        outermost =
            place.line == Place.NONE && outermost != null && outermost.key().equals(place.key())
                ? outermost
                : place;
    }
    if (nearest == null) return MARK + own.get(0).written(1) + ";;*/";
    // Statements that an object keeps from its beginning on are sent in other calls.
    if (isNoEntry(nearest) && outermost == null) return "";
    Place entry = outermost == null ? nearest : outermost;
    Call call = call(entry, sql);
    if (nearest.line != Place.NONE) call.known = nearest.line;
    return MARK + nearest.written(call.known) + ";" + entry.written(call.known) + ";" + call.number + "*/";
  }

  private static boolean isNoEntry(Place place) {
    return NO_ENTRY.matcher(place.name.substring(place.name.lastIndexOf('.') + 1)).matches();
  }

  /** What a function has called for statements, and from where; it may be the loop of a worker, or stand around handlers. */
  private static final class Caller {
    private static final int MANY = -1;
    int line;
    final Set<String> called = new HashSet<>();
  }

  private static final Map<String, Caller> CALLERS = new HashMap<>();
  /** Functions that one line calls in turn, where nothing else happens in their caller. */
  private static final int DISPATCHED = 3;
  private static final int MOST_CALLERS = 10_000;

  /** The place of the frame that the innermost caller of many hands its work to; the outermost one if there is none. */
  private static synchronized int dispatched(List<Place> own) {
    StringBuilder way = new StringBuilder();
    int entered = own.size() - 1;
    for (int at = own.size() - 1; at >= 0; at--) {
      Place place = own.get(at);
      if (TEST.matcher(place.file).matches() || isNoEntry(place)) {
        way.setLength(0);
        continue;
      }
      way.append(place.key());
      if (CALLERS.size() > MOST_CALLERS) break;
      Caller caller = CALLERS.computeIfAbsent(way.toString(), key -> new Caller());
      if (caller.line == 0) caller.line = place.line;
      if (caller.line != place.line || at == 0) caller.line = Caller.MANY;
      if (caller.line == Caller.MANY) break;
      caller.called.add(own.get(at - 1).key());
      if (caller.called.size() >= DISPATCHED) entered = at - 1;
      way.append(':').append(place.line).append('\n');
    }
    return entered;
  }

  /**
   * A call goes forward in its function; where it is behind its last place, or sends on the same line what it sent there
   * before, another call has begun.
   */
  private static Call call(Place entry, String sql) {
    Call before = CALLS.get();
    boolean isSame =
        before != null
            && before.key.equals(entry.key())
            && (before.line < entry.line || before.line == entry.line && !before.sent.contains(sql));
    Call call = isSame ? before : new Call(entry.key());
    if (call.line < entry.line) call.sent.clear();
    call.line = entry.line;
    call.sent.add(sql);
    CALLS.set(call);
    return call;
  }

  /** The application's frames, nearest first. Filters of a request stand around its handler. */
  private static List<Place> places() {
    List<Place> own = new ArrayList<>();
    for (StackTraceElement frame : new Throwable().getStackTrace()) {
      Place place = placeOf(frame);
      if (place != null) own.add(place);
      else if (!own.isEmpty() && frame.getClassName().endsWith(".servlet.http.HttpServlet")) break;
    }
    return own;
  }

  private static Place placeOf(StackTraceElement frame) {
    String type = frame.getClassName();
    int made = type.indexOf("$$");
    if (made > 0) type = type.substring(0, made);
    String method = frame.getMethodName();
    Matcher lambda = LAMBDA.matcher(method);
    if (lambda.matches()) method = lambda.group(1) == null ? lambda.group(2) : lambda.group(1);
    Matcher inner = INNER.matcher(type);
    if (inner.matches()) {
      type = inner.group(1);
      method = inner.group(2);
    }
    int nested = type.indexOf('$');
    String outer = nested < 0 ? type : type.substring(0, nested);
    String simple = outer.substring(outer.lastIndexOf('.') + 1);
    String file = made > 0 || frame.getFileName() == null ? simple + ".java" : frame.getFileName();
    String path = Sources.pathOf(outer, file);
    if (path == null) return null;
    // A helper of such a class, which stands around no method of the application's.
    if (made > 0 && method.startsWith("CGLIB$")) return null;
    return new Place(path, made > 0 || frame.getLineNumber() < 1 ? Place.NONE : frame.getLineNumber(), simple + "." + method);
  }

  private static String escaped(String text) {
    StringBuilder written = new StringBuilder();
    for (byte letter : text.getBytes(StandardCharsets.UTF_8)) {
      boolean isPlain =
          letter >= 'a' && letter <= 'z'
              || letter >= 'A' && letter <= 'Z'
              || letter >= '0' && letter <= '9'
              || "_./-".indexOf(letter) >= 0;
      if (isPlain) written.append((char) letter);
      else written.append(String.format("~%02X", letter));
    }
    return written.toString();
  }

  /** The application's source files by their names. */
  private static final class Sources {
    private static final Map<String, List<String>> PATHS = read();
    private static final Map<String, String> KNOWN = new java.util.concurrent.ConcurrentHashMap<>();

    static String pathOf(String type, String file) {
      String path = KNOWN.computeIfAbsent(type + " " + file, key -> found(type, file));
      return path.isEmpty() ? null : path;
    }

    private static String found(String type, String file) {
      List<String> paths = PATHS.get(file);
      if (paths == null) return "";
      String inPackage = "/" + type.substring(0, type.lastIndexOf('.') + 1).replace('.', '/') + file;
      for (String path : paths) if (("/" + path).endsWith(inPackage)) return path;
      // Only Java's compiler asks for a folder for each package.
      return paths.size() == 1 && !file.endsWith(".java") ? paths.get(0) : "";
    }

    private static Map<String, List<String>> read() {
      Map<String, List<String>> paths = new HashMap<>();
      String given = System.getenv("ISOLENS_ROOT");
      try {
        Path root = Paths.get(given == null ? "" : given).toRealPath();
        Files.walkFileTree(
            root,
            new SimpleFileVisitor<Path>() {
              @Override
              public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean isSkipped =
                    !folder.equals(root) && SKIPPED.matcher(folder.getFileName().toString()).matches();
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
              }

              @Override
              public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                if (SOURCE.matcher(name).matches())
                  paths
                      .computeIfAbsent(name, key -> new ArrayList<>())
                      .add(root.relativize(file).toString().replace(File.separatorChar, '/'));
                return FileVisitResult.CONTINUE;
              }

              @Override
              public FileVisitResult visitFileFailed(Path file, IOException problem) {
                return FileVisitResult.CONTINUE;
              }
            });
      } catch (IOException problem) {
        tell("the sources", problem);
      }
      return paths;
    }
  }
}
