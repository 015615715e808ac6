package shop;

import java.util.Optional;

/** Where items are kept. */
public interface ItemRepository {

  Optional<Item> find(long id);

  Optional<Item> findLocked(long id);

  void save(Item item);

  void add(long id, int amount);

  boolean saveVersion(Item item);
}
