import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Stock is read, compared and written back. */
@Service
public class Stock {

  private final ItemRepository items;

  public Stock(ItemRepository items) {
    this.items = items;
  }

  @Transactional
  public void take(Long id, int amount) {
    Item item = items.findById(id).orElseThrow();
    if (item.getStock() < amount) {
      throw new IllegalStateException("there is not enough");
    }
    item.setStock(item.getStock() - amount);
  }
}
