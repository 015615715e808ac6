package shop;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

public interface ItemRepository extends JpaRepository<Item, Long> {

  @Modifying
  @Query("update Item i set i.stock = i.stock + ?2 where i.id = ?1")
  int add(Long id, int amount);
}
