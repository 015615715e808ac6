package tpcc.procedures;

/** What a terminal asks for. */
public interface Terminal {
  int customer();

  int amount();

  int carrier();

  int threshold();

  int[] items();

  int[] quantities();
}
