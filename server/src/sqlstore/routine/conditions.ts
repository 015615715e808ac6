// Names of errors in PL/pgSQL (PostgreSQL's Appendix A), as far as this store raises them.
const STATES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    unique_violation: "23505",
    foreign_key_violation: "23503",
    not_null_violation: "23502",
    check_violation: "23514",
    exclusion_violation: "23P01",
    restrict_violation: "23001",
    integrity_constraint_violation: "23000",
    duplicate_object: "42710",
    duplicate_table: "42P07",
    duplicate_column: "42701",
    duplicate_schema: "42P06",
    duplicate_function: "42723",
    undefined_table: "42P01",
    undefined_column: "42703",
    undefined_object: "42704",
    undefined_function: "42883",
    invalid_text_representation: "22P02",
    division_by_zero: "22012",
    numeric_value_out_of_range: "22003",
    string_data_right_truncation: "22001",
    no_data_found: "P0002",
    too_many_rows: "P0003",
    raise_exception: "P0001",
    assert_failure: "P0004",
    serialization_failure: "40001",
    deadlock_detected: "40P01",
    lock_not_available: "55P03",
    query_canceled: "57014",
    feature_not_supported: "0A000",
    syntax_error: "42601",
    data_exception: "22000",
    invalid_parameter_value: "22023",
    insufficient_privilege: "42501",
    object_not_in_prerequisite_state: "55000",
  }),
);

/** The SQLSTATE of a condition by its name. */
export function stateOf(name: string): string | undefined {
  return STATES.get(name.toLowerCase());
}

/** True if a handler's condition is for errors of that SQLSTATE. OTHERS takes neither a cancel nor a failed assertion. */
export function catches(condition: string, code: string): boolean {
  const words = condition.toLowerCase().replace(/'/g, "").trim();
  if (words === "others") return code !== "57014" && code !== "P0004";
  const state = stateOf(words) ?? words.replace(/^sqlstate\s*/, "").toUpperCase();
  return state === code || (state.endsWith("000") && code.startsWith(state.slice(0, 2)));
}
