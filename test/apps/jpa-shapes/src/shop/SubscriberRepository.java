package shop;

import java.util.Optional;
import org.springframework.data.repository.CrudRepository;

public interface SubscriberRepository extends CrudRepository<Subscriber, Long> {

  Optional<Subscriber> findByMail(String mail);
}
