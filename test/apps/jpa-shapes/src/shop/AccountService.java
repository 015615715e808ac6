package shop;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Money that is taken out, and names that change. */
@Service
public class AccountService {

  private final AccountRepository accounts;

  public AccountService(AccountRepository accounts) {
    this.accounts = accounts;
  }

  @Transactional
  public void withdraw(Long id, int amount) {
    Account account = accounts.findById(id).orElseThrow();
    account.withdraw(amount);
  }

  @Transactional
  public void withdrawLocked(Long id, int amount) {
    Account account = accounts.findLocked(id).orElseThrow();
    account.withdraw(amount);
  }

  /** The row is locked, but its fields stay as they were read before. */
  @Transactional
  public void withdrawLockedLate(Long id, int amount) {
    if (accounts.findById(id).orElseThrow().getBalance() < amount) {
      return;
    }
    Account account = accounts.findLocked(id).orElseThrow();
    account.withdraw(amount);
  }

  /** Writes the balance as well. */
  @Transactional
  public void rename(Long id, String name) {
    accounts.findById(id).orElseThrow().rename(name);
  }

  @Transactional
  public void renameAlone(Long id, String name) {
    accounts.rename(id, name);
  }
}
