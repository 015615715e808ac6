import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;

/** Stock is read, compared and written back. */
public class Stock {

  public void take(EntityManagerFactory factory, Long id, int amount) {
    EntityManager em = factory.createEntityManager();
    try {
      em.getTransaction().begin();
      Item item = em.find(Item.class, id);
      if (item.getStock() < amount) {
        throw new IllegalStateException("there is not enough");
      }
      item.setStock(item.getStock() - amount);
      em.getTransaction().commit();
    } finally {
      em.close();
    }
  }
}
