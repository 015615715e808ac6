// The texts and parameters that MyBatis 3.5.16 makes of mapper.xml for calls.json, as texts.json has them. With the jars of
// org.mybatis:mybatis and com.google.code.gson:gson in lib: java -cp "lib/*" Texts.java . > texts.json
import com.google.gson.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import org.apache.ibatis.builder.xml.XMLMapperBuilder;
import org.apache.ibatis.mapping.*;
import org.apache.ibatis.session.Configuration;

public class Texts {
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    Configuration configuration = new Configuration();
    try (InputStream mapper = Files.newInputStream(folder.resolve("mapper.xml"))) {
      new XMLMapperBuilder(mapper, configuration, "mapper.xml", configuration.getSqlFragments()).parse();
    }
    JsonArray calls = JsonParser.parseString(Files.readString(folder.resolve("calls.json"))).getAsJsonArray();
    JsonArray made = new JsonArray();
    for (JsonElement call : calls) {
      String id = call.getAsJsonArray().get(0).getAsString();
      Object parameter = plain(call.getAsJsonArray().get(1));
      BoundSql sql = configuration.getMappedStatement("app.AccountMapper." + id).getBoundSql(parameter);
      JsonArray values = new JsonArray();
      for (ParameterMapping each : sql.getParameterMappings()) {
        String name = each.getProperty();
        Object value = sql.hasAdditionalParameter(name) ? sql.getAdditionalParameter(name) : configuration.newMetaObject(parameter).getValue(name);
        values.add(new Gson().toJsonTree(value));
      }
      JsonObject one = new JsonObject();
      one.addProperty("sql", sql.getSql().replaceAll("\\s+", " ").trim());
      one.add("values", values);
      made.add(one);
    }
    System.out.println(new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().serializeNulls().create().toJson(made));
  }

  private static Object plain(JsonElement of) {
    if (of.isJsonNull()) return null;
    if (of.isJsonArray()) { List<Object> all = new ArrayList<>(); of.getAsJsonArray().forEach(each -> all.add(plain(each))); return all; }
    if (of.isJsonObject()) { Map<String, Object> all = new LinkedHashMap<>(); of.getAsJsonObject().entrySet().forEach(each -> all.put(each.getKey(), plain(each.getValue()))); return all; }
    JsonPrimitive one = of.getAsJsonPrimitive();
    return one.isBoolean() ? (Object) one.getAsBoolean() : one.isNumber() ? (Object) one.getAsLong() : one.getAsString();
  }
}
