package shop;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** What comes in is added to what is there. */
@Service
public class ItemService {

  private final ItemRepository items;

  public ItemService(ItemRepository items) {
    this.items = items;
  }

  @Transactional
  public void receive(long id, int amount) {
    Item item = items.find(id).orElseThrow(() -> new IllegalArgumentException("No item " + id));
    items.save(item.with(amount));
  }

  @Transactional
  public void receiveLocked(long id, int amount) {
    Item item = items.findLocked(id).orElseThrow(IllegalArgumentException::new);
    items.save(item.with(amount));
  }

  @Transactional
  public void receiveAtomically(long id, int amount) {
    items.add(id, amount);
  }

  @Transactional
  public void receiveVersioned(long id, int amount) {
    Item item = items.find(id).orElseThrow();
    if (!items.saveVersion(item.with(amount))) {
      throw new IllegalStateException("Somebody else was faster");
    }
  }
}
