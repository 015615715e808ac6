package shop;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Everybody is on the list once. */
@Service
public class MailService {

  private final ReaderRepository readers;
  private final SubscriberRepository subscribers;

  public MailService(ReaderRepository readers, SubscriberRepository subscribers) {
    this.readers = readers;
    this.subscribers = subscribers;
  }

  @Transactional
  public void subscribe(String mail) {
    if (!readers.existsByMail(mail)) {
      readers.save(new Reader(mail));
    }
  }

  @Transactional
  public void subscribeUniquely(String mail) {
    if (subscribers.findByMail(mail).isEmpty()) {
      subscribers.save(new Subscriber(mail));
    }
  }
}
