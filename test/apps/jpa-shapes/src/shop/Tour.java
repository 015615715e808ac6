package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "tours")
public class Tour {

  @Id
  private Long id;

  private int free;

  public void book(int seats) {
    if (seats > free) {
      throw new IllegalStateException("Sold out");
    }
    free = free - seats;
  }
}
