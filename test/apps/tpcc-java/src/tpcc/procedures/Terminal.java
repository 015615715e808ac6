package tpcc.procedures;

/** What a terminal asks for. */
public interface Terminal {
  int customer();

  /** Some customers pay elsewhere than at home. */
  int customerWarehouse();

  int customerDistrict();

  int amount();

  int carrier();

  int threshold();

  int[] items();

  int[] quantities();
}
