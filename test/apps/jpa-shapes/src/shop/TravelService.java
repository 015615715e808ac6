package shop;

import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Seats are sold once. */
@Service
public class TravelService {

  @PersistenceContext
  private EntityManager em;

  @Transactional
  public void book(Long id, int seats) {
    Tour tour = em.find(Tour.class, id);
    tour.book(seats);
  }

  @Transactional
  public void bookVersioned(Long id, int seats) {
    Cruise cruise = em.find(Cruise.class, id);
    cruise.book(seats);
  }
}
