package isolens;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Puts the place in the application behind each statement while `isolens record` runs it. A method of a driver that takes a
 * statement is kept under another name, and one of its old name calls it with the comment.
 */
public final class Agent implements ClassFileTransformer {
  private static final Set<String> DRIVERS =
      setOf(
          "org/postgresql/jdbc/PgConnection",
          "org/postgresql/jdbc/PgStatement",
          "com/mysql/cj/jdbc/ConnectionImpl",
          "com/mysql/cj/jdbc/StatementImpl",
          "com/mysql/jdbc/ConnectionImpl",
          "com/mysql/jdbc/StatementImpl",
          "org/mariadb/jdbc/Connection",
          "org/mariadb/jdbc/Statement",
          "org/mariadb/jdbc/MariaDbConnection",
          "org/mariadb/jdbc/MariaDbStatement");
  private static final Set<String> METHODS =
      setOf(
          "prepareStatement",
          "prepareCall",
          "execute",
          "executeQuery",
          "executeUpdate",
          "executeLargeUpdate",
          "addBatch");
  private static final int PRIVATE = 0x2, VISIBLE = 0x7, STATIC = 0x8, ABSTRACT = 0x400, SYNTHETIC = 0x1000;

  private static Set<String> setOf(String... names) {
    return new HashSet<>(Arrays.asList(names));
  }

  /** Called by the virtual machine before the application's own main. */
  public static void premain(String argument, Instrumentation instrumentation) {
    instrumentation.addTransformer(new Agent());
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> before, ProtectionDomain domain, byte[] bytes) {
    if (!DRIVERS.contains(name)) return null;
    try {
      return commented(ByteBuffer.wrap(bytes));
    } catch (IOException | RuntimeException problem) {
      CallSites.tell("the statements of " + name, problem);
      return null;
    }
  }

  private static final class Method {
    /** Where it begins. */
    final int start;
    final int access, name, descriptor;
    final String written, types;

    Method(int start, int access, int name, int descriptor, String written, String types) {
      this.start = start;
      this.access = access;
      this.name = name;
      this.descriptor = descriptor;
      this.written = written;
      this.types = types;
    }
  }

  private static int unsigned(ByteBuffer in) {
    return in.getShort() & 0xffff;
  }

  private static byte[] commented(ByteBuffer in) throws IOException {
    in.position(8);
    int constants = unsigned(in);
    String[] texts = new String[constants];
    for (int at = 1; at < constants; at++) {
      int tag = in.get();
      if (tag == 1) {
        byte[] text = new byte[unsigned(in)];
        in.get(text);
        texts[at] = new String(text, StandardCharsets.UTF_8);
      } else {
        boolean isWide = tag == 5 || tag == 6;
        boolean isShort = tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20;
        in.position(in.position() + (isWide ? 8 : isShort ? 2 : tag == 15 ? 3 : 4));
        if (isWide) at++;
      }
    }
    int constantsEnd = in.position();
    in.getShort();
    int self = unsigned(in);
    in.getShort();
    for (int left = unsigned(in); left > 0; left--) in.getShort();
    for (int left = unsigned(in); left > 0; left--) skipMember(in);
    int count = unsigned(in);
    int methodsStart = in.position();
    List<Method> found = new ArrayList<>();
    for (int left = count; left > 0; left--) {
      int start = in.position();
      int access = unsigned(in), name = unsigned(in), descriptor = unsigned(in);
      in.position(start);
      skipMember(in);
      boolean isOne =
          METHODS.contains(texts[name])
              && texts[descriptor].startsWith("(Ljava/lang/String;")
              && (access & (STATIC | ABSTRACT)) == 0;
      if (isOne) found.add(new Method(start, access, name, descriptor, texts[name], texts[descriptor]));
    }
    int methodsEnd = in.position();

    byte[] old = in.array().clone();
    Constants pool = new Constants(constants);
    int code = pool.text("Code");
    int comment =
        pool.method(
            pool.classOf(pool.text("isolens/CallSites")),
            pool.text("commented"),
            pool.text("(Ljava/lang/String;)Ljava/lang/String;"));
    ByteArrayOutputStream methods = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(methods);
    for (Method method : found) {
      int kept = pool.text(method.written + "$isolens");
      ByteBuffer.wrap(old, method.start, 4)
          .putShort((short) (method.access & ~VISIBLE | PRIVATE | SYNTHETIC))
          .putShort((short) kept);
      out.writeShort(method.access);
      out.writeShort(method.name);
      out.writeShort(method.descriptor);
      out.writeShort(1);
      writeCall(out, code, comment, pool.method(self, kept, method.descriptor), method.types);
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    DataOutputStream file = new DataOutputStream(whole);
    file.write(old, 0, 8);
    file.writeShort(pool.count);
    file.write(old, 10, constantsEnd - 10);
    file.write(pool.bytes.toByteArray());
    file.write(old, constantsEnd, methodsStart - 2 - constantsEnd);
    file.writeShort(count + found.size());
    file.write(old, methodsStart, methodsEnd - methodsStart);
    file.write(methods.toByteArray());
    file.write(old, methodsEnd, old.length - methodsEnd);
    return whole.toByteArray();
  }

  /** Calls the kept method with the comment behind its first argument. */
  private static void writeCall(DataOutputStream out, int code, int comment, int kept, String types)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream body = new DataOutputStream(bytes);
    body.write(new byte[] {0x2a, 0x2b, (byte) 0xb8}); // aload_0, aload_1, invokestatic
    body.writeShort(comment);
    int local = 2;
    int end = types.indexOf(')');
    for (int at = "(Ljava/lang/String;".length(); at < end; at++) {
      char type = types.charAt(at);
      body.writeByte(0x15 + kindOf(type)); // iload and its like
      body.writeByte(local);
      local += type == 'J' || type == 'D' ? 2 : 1;
      while (types.charAt(at) == '[') at++;
      if (types.charAt(at) == 'L') at = types.indexOf(';', at);
    }
    body.writeByte(0xb7); // invokespecial
    body.writeShort(kept);
    char result = types.charAt(end + 1);
    body.writeByte(result == 'V' ? 0xb1 : 0xac + kindOf(result)); // ireturn and its like
    out.writeShort(code);
    out.writeInt(bytes.size() + 12);
    out.writeShort(local);
    out.writeShort(local);
    out.writeInt(bytes.size());
    out.write(bytes.toByteArray());
    out.writeShort(0);
    out.writeShort(0);
  }

  /** Number of a type among int, long, float, double and references. */
  private static int kindOf(char type) {
    int at = "JFD".indexOf(type);
    return at >= 0 ? at + 1 : type == 'L' || type == '[' ? 4 : 0;
  }

  /** Constants behind those that a class has. */
  private static final class Constants {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);
    int count;

    Constants(int count) {
      this.count = count;
    }

    int text(String text) throws IOException {
      out.writeByte(1);
      out.writeUTF(text);
      return count++;
    }

    int classOf(int name) throws IOException {
      out.writeByte(7);
      out.writeShort(name);
      return count++;
    }

    int method(int owner, int name, int descriptor) throws IOException {
      pair(12, name, descriptor);
      return pair(10, owner, count - 1);
    }

    private int pair(int tag, int left, int right) throws IOException {
      out.writeByte(tag);
      out.writeShort(left);
      out.writeShort(right);
      return count++;
    }
  }

  private static void skipMember(ByteBuffer in) {
    in.position(in.position() + 6);
    for (int left = unsigned(in); left > 0; left--) {
      in.getShort();
      int length = in.getInt();
      in.position(in.position() + length);
    }
  }
}
