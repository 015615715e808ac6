// One solver of Z3 in its own context, behind the interface of solver/.
import { SolverError } from "../solver/solver";
import type { CheckResult, Model, Solver, SolverOptions } from "../solver/solver";
import type { Pointer, Z3Module } from "./z3Module";

/** The used Z3 error codes. */
const MEMORY_OUT = 7;

/**
 * Opens a simple (incremental) solver in a fresh context, so that its answers do not depend on earlier solvers. Relevancy is off: it never
 * pays for these small ground problems. Z3's parser does not recover from a refused text: such a solver accepts no further text.
 */
export function openZ3Solver(z3: Z3Module, options: SolverOptions): Solver {
  const { native } = z3;
  const context = z3.guarded(() => {
    const configuration = native.Z3_mk_config();
    const made = native.Z3_mk_context(configuration);
    native.Z3_del_config(configuration);
    // Errors are read after each call; Z3's default handler would end the process.
    native.set_noop_error_handler(made);
    return made;
  });
  const solver = z3.guarded(() => {
    const made = native.Z3_mk_simple_solver(context);
    native.Z3_solver_inc_ref(context, made);
    return made;
  });
  const boolSort = z3.guarded(() => native.Z3_mk_bool_sort(context));
  const intSort = z3.guarded(() => native.Z3_mk_int_sort(context));
  const constants = new Map<string, Pointer>();
  const functions = new Map<string, Pointer>();
  const names = new Map<Pointer, string>();
  let model: Pointer | undefined;
  let last: CheckResult | undefined;
  let disposed = false;

  const call = <T>(run: () => T): T => {
    if (disposed) throw new SolverError("crashed", "This solver was closed.");
    return z3.guarded(() => {
      const result = run();
      checkError(z3, context);
      return result;
    });
  };
  const symbol = (name: string): Pointer =>
    z3.withText(name, (at) => native.Z3_mk_string_symbol(context, at));
  const constant = (name: string, sort: Pointer): Pointer => {
    const key = `${String(sort)} ${name}`;
    const known = constants.get(key);
    if (known !== undefined) return known;
    const made = native.Z3_mk_const(context, symbol(name), sort);
    constants.set(key, made);
    return made;
  };
  const application = (fn: string, args: readonly number[], sort: Pointer): Pointer => {
    if (args.length === 0) return constant(fn, sort);
    const key = `${String(sort)} ${String(args.length)} ${fn}`;
    let declaration = functions.get(key);
    if (declaration === undefined) {
      declaration = z3.withWords(
        args.map(() => intSort),
        (domain) => native.Z3_mk_func_decl(context, symbol(fn), args.length, domain, sort),
      );
      functions.set(key, declaration);
    }
    const callee = declaration;
    const numerals = args.map((value) =>
      z3.withText(String(value), (at) => native.Z3_mk_numeral(context, at, intSort)),
    );
    return z3.withWords(numerals, (at) => native.Z3_mk_app(context, callee, numerals.length, at));
  };
  const releaseModel = (): void => {
    if (model !== undefined) native.Z3_model_dec_ref(context, model);
    model = undefined;
  };
  const evaluate = (of: Pointer, term: Pointer): Pointer =>
    z3.withWords([0], (at) => {
      // No completion: open terms evaluate to themselves, which reads as 0 and false.
      native.Z3_model_eval(context, of, term, 0, at);
      return z3.word(at);
    });
  const number = (value: Pointer): number => {
    const text = z3.text(native.Z3_get_numeral_string(context, value));
    // A term that is no numeral sets an error; it represents an open value.
    if (native.Z3_get_error_code(context) !== 0 || text === "") return 0;
    const parsed = Number(text);
    return Number.isFinite(parsed) ? parsed : 0;
  };

  call(() => {
    const parameters = native.Z3_mk_params(context);
    native.Z3_params_inc_ref(context, parameters);
    native.Z3_params_set_uint(context, parameters, symbol("relevancy"), 0);
    if (options.resourceLimit > 0) {
      native.Z3_params_set_uint(context, parameters, symbol("rlimit"), options.resourceLimit);
    }
    native.Z3_solver_set_params(context, solver, parameters);
    native.Z3_params_dec_ref(context, parameters);
  });

  return {
    add: (text) => {
      call(() => {
        releaseModel();
        z3.withText(text, (at) => native.Z3_solver_from_string(context, solver, at));
      });
    },
    check: (assumptions = []) =>
      call(() => {
        releaseModel();
        const literals = assumptions.map((name) => {
          const literal = constant(name, boolSort);
          names.set(literal, name);
          return literal;
        });
        const answer = z3.withWords(literals, (at) =>
          native.Z3_solver_check_assumptions(context, solver, literals.length, at),
        );
        last = answer === 1 ? "sat" : answer === -1 ? "unsat" : "unknown";
        return last;
      }),
    model: () => {
      if (last !== "sat") throw new SolverError("crashed", "There is a model only after sat.");
      const current = call(() => {
        if (model === undefined) {
          model = native.Z3_solver_get_model(context, solver);
          native.Z3_model_inc_ref(context, model);
        }
        return model;
      });
      const alive = <T>(read: () => T): T => {
        if (model !== current) throw new SolverError("crashed", "This model is out of date.");
        return z3.guarded(read);
      };
      const truth = (term: Pointer): boolean =>
        native.Z3_get_bool_value(context, evaluate(current, term)) === 1;
      const answer: Model = {
        int: (name) => alive(() => number(evaluate(current, constant(name, intSort)))),
        bool: (name) => alive(() => truth(constant(name, boolSort))),
        intAt: (fn, args) => alive(() => number(evaluate(current, application(fn, args, intSort)))),
        boolAt: (fn, args) => alive(() => truth(application(fn, args, boolSort))),
      };
      return answer;
    },
    core: () =>
      call(() => {
        if (last !== "unsat") {
          throw new SolverError("crashed", "There is a core only after unsat.");
        }
        const vector = native.Z3_solver_get_unsat_core(context, solver);
        native.Z3_ast_vector_inc_ref(context, vector);
        const core: string[] = [];
        for (let at = 0; at < native.Z3_ast_vector_size(context, vector); at += 1) {
          const name = names.get(native.Z3_ast_vector_get(context, vector, at));
          if (name !== undefined) core.push(name);
        }
        native.Z3_ast_vector_dec_ref(context, vector);
        return core;
      }),
    reason: () => call(() => z3.text(native.Z3_solver_get_reason_unknown(context, solver))),
    dispose: () => {
      if (disposed) return;
      z3.guarded(() => {
        releaseModel();
        native.Z3_solver_dec_ref(context, solver);
        native.Z3_del_context(context);
      });
      disposed = true;
    },
  };
}

/** Z3 reports errors only through a code that the next call overwrites. */
function checkError(z3: Z3Module, context: Pointer): void {
  const code = z3.native.Z3_get_error_code(context);
  if (code === 0) return;
  const message = z3.text(z3.native.Z3_get_error_msg(context, code)).trim();
  throw code === MEMORY_OUT
    ? new SolverError("memory", `Z3 ran out of memory: ${message}`)
    : new SolverError("text", `Z3 refused a text: ${message}`);
}
