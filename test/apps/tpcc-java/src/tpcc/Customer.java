package tpcc;

/** What a payment changes of a customer. */
public class Customer {
  public int id;
  public int balance;
  public int paid;
  public int payments;
}
