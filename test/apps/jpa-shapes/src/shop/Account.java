package shop;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** Without a version: an UPDATE writes all columns as they were read. */
@Entity
@Table(name = "accounts")
public class Account {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private Long id;

  @Column(nullable = false)
  private String owner;

  private int balance;

  protected Account() {}

  public Account(String owner) {
    this.owner = owner;
  }

  public int getBalance() {
    return balance;
  }

  public void rename(String name) {
    this.owner = name;
  }

  public void withdraw(int amount) {
    if (amount > balance) {
      throw new IllegalArgumentException("Not enough money");
    }
    balance -= amount;
  }
}
