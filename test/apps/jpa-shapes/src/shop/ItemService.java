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
  public void restock(Long id, int amount) {
    Item item = items.findById(id).orElseThrow();
    item.setStock(item.getStock() + amount);
    items.save(item);
  }

  @Transactional
  public void restockAtomically(Long id, int amount) {
    if (items.add(id, amount) == 0) {
      throw new IllegalArgumentException("No item " + id);
    }
  }
}
