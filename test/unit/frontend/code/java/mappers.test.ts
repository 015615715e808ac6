// Statements that annotations hold, batches, and transactions within transactions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { transactionsOf } from "../codePrograms";
import { check, DDL, shown } from "./javaPrograms";

const MAPPER = `package app; import org.apache.ibatis.annotations.*; import java.util.*;
  @Mapper public interface AccountMapper {
    @Select("SELECT id, balance FROM accounts WHERE id = #{id} FOR UPDATE") Account lock(@Param("id") long number);
    @Select("SELECT balance FROM accounts WHERE id = #{id}") Long balance(long id);
    @Select("SELECT id, balance FROM accounts WHERE owner = #{owner}") List<Account> of(long owner);
    @Select("SELECT id, balance FROM accounts WHERE id = #{id}") Optional<Account> find(long id);
    @Update({"UPDATE accounts", "SET balance = #{a.balance, jdbcType=BIGINT} WHERE id = #{a.id}"}) int save(@Param("a") Account account);
    @Insert("INSERT INTO log (id, account, amount) VALUES (#{id}, #{balance}, 0)") void log(Account account);
    @Delete("<script>DELETE FROM log <if test='id != null'>WHERE id = #{id}</if></script>") int clear(Long id);
    int written(long id);
  }`;

function checkMapper(name: string, body: string, ...expected: readonly string[]): void {
  test(name, async () => {
    const found = await transactionsOf(DDL, {
      "app/AccountMapper.java": MAPPER,
      "app/Account.java": "package app; public record Account(long id, long balance) {}",
      "app/S.java": `package app; import org.springframework.transaction.annotation.Transactional;
        public class S {
          private final AccountMapper accounts;
          public S(AccountMapper accounts) { this.accounts = accounts; }
          @Transactional public void run(long id, long by) { ${body} }
        }`,
    });
    assert.deepEqual(found.flatMap(shown), ["explicit", ...expected]);
  });
}

checkMapper(
  "a row by a mapper, and what is saved of it",
  `Account a = accounts.lock(id);
   accounts.save(new Account(a.id(), a.balance() - by));
   accounts.log(a);`,
  "r1 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.id = :id) for update",
  "if (size(r1) <= 0)",
  "  rollback",
  "update accounts set balance = (r1.balance - :by) where (accounts.id = r1.id)",
  "insert log {id = r1.id, account = r1.balance, amount = 0}",
);

checkMapper(
  "a single value is null where there is no row",
  `if (accounts.balance(id) == null) accounts.log(new Account(id, by));`,
  "r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
  "if (r1.balance is null)",
  "  insert log {id = :id, account = :by, amount = 0}",
);

checkMapper(
  "lists and optional rows",
  `for (Account a : accounts.of(id)) accounts.log(a);
   if (accounts.find(by).isEmpty()) accounts.log(new Account(by, by));`,
  "r1 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.owner = :id)",
  "loop rows",
  "  insert log {id = r1.id, account = r1.balance, amount = 0}",
  "r2 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.id = :by)",
  "if (size(r2) <= 0)",
  "  insert log {id = :by, account = :by, amount = 0}",
);

checkMapper(
  "what is put together when it runs, or written in XML, is not known",
  `accounts.clear(id); accounts.written(id);`,
  "opaque writes ",
  "opaque writes ",
  "! SQL that is made elsewhere cannot be read",
  "! what this.accounts.written() does with the database is not known",
);

check(
  "a batch runs for each of its rows",
  `@Transactional public void run(List<Long> ids, List<Object[]> rows) {
    jdbc.batchUpdate("DELETE FROM log WHERE id = ?", ids, 50, (ps, id) -> ps.setLong(1, id));
    named.batchUpdate("DELETE FROM log WHERE account = :id", SqlParameterSourceUtils.createBatch(rows));
    jdbc.update("DELETE FROM log WHERE id = ?", ps -> ps.setLong(1, 7));
  }`,
  "explicit",
  "loop count",
  "  delete log where (log.id = :ids[@i1])",
  "loop count",
  "  delete log where (log.account = :rows.id[@i2])",
  "delete log where (log.id = 7)",
);

check(
  "what Spring keeps out of the open transaction is said",
  `static class Inner {
    private JdbcTemplate jdbc;
    @Transactional(propagation = Propagation.NOT_SUPPORTED) public void out(long id) { jdbc.update("DELETE FROM log WHERE id = ?", id); }
  }
  private Inner inner;
  @Transactional public void run(long id) { inner.out(id); }`,
  "explicit",
  "delete log where (log.id = :id)",
  "! what runs outside of the open transaction is taken to be a part of it",
);

check(
  "a template for transactions of their own",
  `@Transactional public void run(long id) {
    TransactionTemplate own = new TransactionTemplate();
    own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    own.executeWithoutResult(status -> jdbc.update("DELETE FROM log WHERE id = ?", id));
  }`,
  "explicit",
  "delete log where (log.id = :id)",
  "! a transaction of its own inside of another one is taken to be a part of it",
);

test("a method that is declared to run in a transaction is looked at, whatever it calls", async () => {
  const found = await transactionsOf(DDL, {
    "app/Seats.java": `package app; import org.springframework.data.jpa.repository.*;
      public interface Seats extends JpaRepository<Seat, Long> { @Modifying @Query("update Seat s set s.free = false") int sell(); }`,
    "app/S.java": `package app; import org.springframework.transaction.annotation.Transactional;
      public class S { private Seats seats; @Transactional public int run() { return seats.sell(); } }`,
  });
  assert.deepEqual(found.flatMap(shown), [
    "explicit",
    "opaque writes ",
    "return",
    "! what this.seats.sell() does with the database is not known",
  ]);
});

const XML_MAPPER = {
  "app/dao/AccountDao.java": `package app.dao; import app.Account; import org.apache.ibatis.annotations.Param; import java.util.*;
    public interface AccountDao {
      Account lock(long id); List<Account> search(@Param("owner") Long owner, @Param("least") long least, @Param("ids") List<Long> ids);
      int change(Account account); void log(app.Log log); Long most(long owner); int sorted(String column);
    }`,
  "app/Account.java": `package app; public class Account { private Long id; private Long ownerOf; private Long balance;
    public Long getId() { return id; } public Long getBalance() { return balance; } public Long getOwnerOf() { return ownerOf; }
    public void setBalance(Long balance) { this.balance = balance; } }`,
  "app/Log.java": `package app; import lombok.*; @Data public class Log { private Long id; private Long account; private Long amount; }`,
  "mappers/account.xml": `<mapper namespace="app.dao.AccountDao">
    <resultMap id="account" type="app.Account"><id column="id" property="id"/><result column="owner" property="ownerOf"/></resultMap>
    <sql id="all">id, owner, balance</sql>
    <select id="lock" resultMap="account">SELECT <include refid="all"/> FROM accounts WHERE id = #{id} FOR UPDATE</select>
    <select id="search" resultMap="account">SELECT <include refid="all"/> FROM accounts <where>
      <if test="owner != null">AND owner = #{owner}</if> <if test="least != null">AND balance >= #{least}</if>
      AND id IN <foreach collection="ids" item="each" open="(" separator="," close=")">#{each}</foreach> </where></select>
    <update id="change">UPDATE accounts <set><if test="ownerOf != null">owner = #{ownerOf},</if><if test="balance != null">balance = #{balance},</if></set> WHERE id = #{id}</update>
    <insert id="log" useGeneratedKeys="true" keyProperty="id">INSERT INTO log <trim prefix="(" suffix=")" suffixOverrides=",">
      <if test="account != null">account,</if><if test="amount != null">amount,</if></trim>
      <trim prefix="VALUES (" suffix=")" suffixOverrides=","><if test="account != null">#{account},</if><if test="amount != null">#{amount},</if></trim></insert>
    <select id="most" resultType="long">SELECT max(balance) AS most FROM accounts WHERE owner = #{owner}</select>
    <select id="sorted" resultType="int">SELECT id FROM accounts ORDER BY \${column}</select>
  </mapper>`,
};

function checkXml(name: string, body: string, ...expected: readonly string[]): void {
  test(name, async () => {
    const found = await transactionsOf(DDL, {
      ...XML_MAPPER,
      "app/S.java": `package app; import app.dao.AccountDao; import java.util.*; import org.springframework.transaction.annotation.Transactional;
        public class S { private AccountDao accounts;
          @Transactional public void run(long id, Long by, List<Long> ids, String column) { ${body} } }`,
    });
    assert.deepEqual(found.flatMap(shown), ["explicit", ...expected]);
  });
}

const LOCKED =
  "r1 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance from accounts where (accounts.id = :id) for update";

checkXml(
  "a row of a mapper file has the getters of its class, and what is null leaves its column as it is",
  `Account a = accounts.lock(id); a.setBalance(a.getBalance() - by); accounts.change(a);`,
  LOCKED,
  "if (size(r1) <= 0)",
  "  rollback",
  "update accounts set owner = coalesce(r1.owner, accounts.owner), balance = coalesce((r1.balance - :by), accounts.balance) where (accounts.id = r1.id)",
);

checkXml(
  "a condition of a mapper file that is not known is one of the statement",
  `accounts.search(by, id, ids);`,
  "r1 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance from accounts where (((:by is null) or (accounts.owner = :by)) and (accounts.balance >= :id) and (accounts.id in [:ids]))",
);

checkXml(
  "what an object has, and the key that it gets",
  `Log log = new Log(); log.setAmount(by); accounts.log(log); accounts.lock(log.getId());`,
  "insert log {id = null, account = null, amount = :by} returning r1: log.id as id, log.account as account, log.amount as amount",
  "r2 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance from accounts where (accounts.id = r1.id) for update",
);

checkXml(
  "a single value of a mapper file",
  `if (accounts.most(id) > by) accounts.lock(id);`,
  "r1 = select max(accounts.balance) as most from accounts where (accounts.owner = :id)",
  "if (r1.most > :by)",
  "  r2 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance from accounts where (accounts.id = :id) for update",
);

checkXml(
  "a text that only a run knows is not read",
  `accounts.sorted(column);`,
  "opaque writes ",
  "! SQL that is made elsewhere cannot be read",
);
