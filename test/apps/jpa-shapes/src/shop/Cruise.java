package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

@Entity
@Table(name = "cruises")
public class Cruise {

  @Id
  private Long id;

  private int free;

  @Version
  private int version;

  public void book(int seats) {
    if (seats > free) {
      throw new IllegalStateException("Sold out");
    }
    free = free - seats;
  }
}
