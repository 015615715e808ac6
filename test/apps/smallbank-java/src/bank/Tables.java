package bank;

/** Names of the tables. */
public abstract class Tables {
  public static final String ACCOUNTS = "accounts";
  public static final String SAVINGS = "savings";
  public static final String CHECKING = "checking";
}
