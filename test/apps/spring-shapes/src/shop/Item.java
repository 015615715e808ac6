package shop;

/** A row of items. */
public record Item(long id, int onHand, int version) {

  public Item with(int amount) {
    return new Item(id, onHand + amount, version);
  }
}
