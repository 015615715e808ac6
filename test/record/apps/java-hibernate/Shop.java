// Five races, and five that are correct, over Hibernate.
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.Version;
import java.sql.Connection;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.SessionFactory;

public class Shop {
  static class Refused extends RuntimeException {}

  @Entity(name = "Account")
  public static class Account {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public int id;

    public int balance;
  }

  @Entity(name = "Event")
  public static class Event {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public int id;

    public int capacity;
  }

  @Entity(name = "Booking")
  public static class Booking {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public int id;

    public String who;

    @Column(name = "event_id")
    public int eventId;
  }

  @Entity(name = "Coupon")
  public static class Coupon {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public int id;

    public String code;
    public int used;

    @Column(name = "max_uses")
    public int maxUses;
  }

  @Entity(name = "Doctor")
  public static class Doctor {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public int id;

    @Column(name = "on_call")
    public boolean onCall;
  }

  @Entity(name = "Nurse")
  public static class Nurse {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public int id;

    @Column(name = "on_call")
    public boolean onCall;
  }

  @Entity(name = "Ticket")
  public static class Ticket {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public int id;

    public int number;
    public String holder;
  }

  @Entity(name = "Seat")
  public static class Seat {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public int id;

    public int number;
    public String holder;
  }

  @Entity(name = "Document")
  public static class Document {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public int id;

    public String body;

    @Version public int version;
  }

  final SessionFactory factory;

  Shop(SessionFactory factory) {
    this.factory = factory;
  }

  void inTransaction(int level, Consumer<Session> work) {
    try (Session session = factory.openSession()) {
      session.doWork(connection -> connection.setTransactionIsolation(level));
      session.beginTransaction();
      try {
        work.accept(session);
        session.getTransaction().commit();
      } catch (RuntimeException problem) {
        if (session.getTransaction().isActive()) session.getTransaction().rollback();
        throw problem;
      }
    }
  }

  void inTransaction(Consumer<Session> work) {
    inTransaction(Connection.TRANSACTION_READ_COMMITTED, work);
  }

  static int number(Session session, String query) {
    return session.createQuery(query, Number.class).getSingleResult().intValue();
  }

  static void debit(Account account, int amount) {
    if (account.balance < amount) throw new Refused();
    account.balance -= amount;
  }

  void withdraw(int id, int amount) {
    inTransaction(session -> debit(session.find(Account.class, id), amount));
  }

  void withdrawLocked(int id, int amount) {
    inTransaction(
        session -> debit(session.find(Account.class, id, LockModeType.PESSIMISTIC_WRITE), amount));
  }

  void book(int id, String who) {
    inTransaction(
        session -> {
          Event event = session.find(Event.class, id);
          long taken =
              session
                  .createQuery("select count(*) from Booking b where b.eventId = :id", Long.class)
                  .setParameter("id", id)
                  .getSingleResult();
          if (taken >= event.capacity) throw new Refused();
          Booking booking = new Booking();
          booking.eventId = id;
          booking.who = who;
          session.persist(booking);
        });
  }

  void redeem(String code) {
    inTransaction(
        session -> {
          Coupon coupon =
              session
                  .createQuery("from Coupon c where c.code = :code", Coupon.class)
                  .setParameter("code", code)
                  .getSingleResult();
          if (coupon.used >= coupon.maxUses) throw new Refused();
          coupon.used++;
        });
  }

  void redeemInPlace(String code) {
    inTransaction(
        session -> {
          String update = "update Coupon set used = used + 1 where code = :code and used < maxUses";
          if (session.createMutationQuery(update).setParameter("code", code).executeUpdate() == 0)
            throw new Refused();
        });
  }

  void goOffCall(int id) {
    inTransaction(
        session -> {
          if (number(session, "select count(*) from Doctor d where d.onCall") < 2)
            throw new Refused();
          session.find(Doctor.class, id).onCall = false;
        });
  }

  void goOffCallSerializable(int id) {
    inTransaction(
        Connection.TRANSACTION_SERIALIZABLE,
        session -> {
          if (number(session, "select count(*) from Nurse n where n.onCall") < 2)
            throw new Refused();
          session.find(Nurse.class, id).onCall = false;
        });
  }

  void issueTicket(String holder) {
    inTransaction(
        session -> {
          Ticket ticket = new Ticket();
          ticket.number = number(session, "select coalesce(max(t.number), 0) from Ticket t") + 1;
          ticket.holder = holder;
          session.persist(ticket);
        });
  }

  void takeSeat(int number, String holder) {
    try {
      inTransaction(
          session -> {
            Seat seat = new Seat();
            seat.number = number;
            seat.holder = holder;
            session.persist(seat);
          });
    } catch (PersistenceException taken) {
      throw new Refused();
    }
  }

  void editDocument(int id, String body) {
    try {
      inTransaction(session -> session.find(Document.class, id).body = body);
    } catch (OptimisticLockException changed) {
      throw new Refused();
    }
  }

}
