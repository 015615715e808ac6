package tpcc;

/** Names of the tables. */
public final class TpccTables {
  public static final String WAREHOUSE = "warehouse";
  public static final String DISTRICT = "district";
  public static final String CUSTOMER = "customer";
  public static final String HISTORY = "history";
  public static final String ORDERS = "orders";
  public static final String NEW_ORDER = "new_order";
  public static final String ITEM = "item";
  public static final String STOCK = "stock";
  public static final String ORDER_LINE = "order_line";

  private TpccTables() {}
}
