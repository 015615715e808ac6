// Five races, and five that are correct, over Spring Data JPA.
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Version;
import java.util.Optional;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Shop {
  static class Refused extends RuntimeException {}

  @Entity(name = "account")
  public static class Account {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Integer id;

    public int balance;
  }

  @Entity(name = "event")
  public static class Event {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Integer id;

    public int capacity;
  }

  @Entity(name = "booking")
  public static class Booking {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Integer id;

    public int eventId;
    public String who;
  }

  @Entity(name = "coupon")
  public static class Coupon {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Integer id;

    public String code;
    public int maxUses;
    public int used;
  }

  @Entity(name = "doctor")
  public static class Doctor {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Integer id;

    public boolean onCall;
  }

  @Entity(name = "nurse")
  public static class Nurse {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Integer id;

    public boolean onCall;
  }

  @Entity(name = "ticket")
  public static class Ticket {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Integer id;

    public int number;
    public String holder;
  }

  @Entity(name = "seat")
  public static class Seat {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Integer id;

    public int number;
    public String holder;
  }

  @Entity(name = "document")
  public static class Document {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Integer id;

    public String body;

    @Version public int version;
  }

  public interface Accounts extends JpaRepository<Account, Integer> {
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    Optional<Account> findLockedById(Integer id);
  }

  public interface Events extends JpaRepository<Event, Integer> {}

  public interface Bookings extends JpaRepository<Booking, Integer> {
    long countByEventId(int eventId);
  }

  public interface Coupons extends JpaRepository<Coupon, Integer> {
    Coupon findByCode(String code);

    @Modifying
    @Query("update coupon c set c.used = c.used + 1 where c.code = ?1 and c.used < c.maxUses")
    int use(String code);
  }

  public interface Doctors extends JpaRepository<Doctor, Integer> {
    long countByOnCallTrue();
  }

  public interface Nurses extends JpaRepository<Nurse, Integer> {
    long countByOnCallTrue();
  }

  public interface Tickets extends JpaRepository<Ticket, Integer> {
    @Query("select coalesce(max(t.number), 0) from ticket t")
    int last();
  }

  public interface Seats extends JpaRepository<Seat, Integer> {}

  public interface Documents extends JpaRepository<Document, Integer> {}

  private final Accounts accounts;
  private final Events events;
  private final Bookings bookings;
  private final Coupons coupons;
  private final Doctors doctors;
  private final Nurses nurses;
  private final Tickets tickets;
  private final Seats seats;
  private final Documents documents;

  public Shop(
      Accounts accounts,
      Events events,
      Bookings bookings,
      Coupons coupons,
      Doctors doctors,
      Nurses nurses,
      Tickets tickets,
      Seats seats,
      Documents documents) {
    this.accounts = accounts;
    this.events = events;
    this.bookings = bookings;
    this.coupons = coupons;
    this.doctors = doctors;
    this.nurses = nurses;
    this.tickets = tickets;
    this.seats = seats;
    this.documents = documents;
  }

  private static void debit(Account account, int amount) {
    if (account.balance < amount) throw new Refused();
    account.balance -= amount;
  }

  @Transactional
  public void withdraw(int id, int amount) {
    debit(accounts.findById(id).orElseThrow(), amount);
  }

  @Transactional
  public void withdrawLocked(int id, int amount) {
    debit(accounts.findLockedById(id).orElseThrow(), amount);
  }

  @Transactional
  public void book(int id, String who) {
    Event event = events.findById(id).orElseThrow();
    if (bookings.countByEventId(id) >= event.capacity) throw new Refused();
    Booking booking = new Booking();
    booking.eventId = id;
    booking.who = who;
    bookings.save(booking);
  }

  @Transactional
  public void redeem(String code) {
    Coupon coupon = coupons.findByCode(code);
    if (coupon.used >= coupon.maxUses) throw new Refused();
    coupon.used++;
  }

  @Transactional
  public void redeemInPlace(String code) {
    if (coupons.use(code) == 0) throw new Refused();
  }

  @Transactional
  public void goOffCall(int id) {
    if (doctors.countByOnCallTrue() < 2) throw new Refused();
    doctors.findById(id).orElseThrow().onCall = false;
  }

  @Transactional(isolation = Isolation.SERIALIZABLE)
  public void goOffCallSerializable(int id) {
    if (nurses.countByOnCallTrue() < 2) throw new Refused();
    nurses.findById(id).orElseThrow().onCall = false;
  }

  @Transactional
  public void issueTicket(String holder) {
    Ticket ticket = new Ticket();
    ticket.number = tickets.last() + 1;
    ticket.holder = holder;
    tickets.save(ticket);
  }

  public void takeSeat(int number, String holder) {
    Seat seat = new Seat();
    seat.number = number;
    seat.holder = holder;
    try {
      seats.save(seat);
    } catch (DataIntegrityViolationException taken) {
      throw new Refused();
    }
  }

  @Transactional
  public void editDocument(int id, String body) {
    documents.findById(id).orElseThrow().body = body;
  }
}
