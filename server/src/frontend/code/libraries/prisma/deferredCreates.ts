// Related rows that the Prisma client creates behind everything else that is written with them (seen with 7.10): those
// that depend on further rows which `connect` or `create` in their own data names. Of several the last comes first.
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import type { PrismaModel } from "../../../schema/prisma/model";
import { isLiteral } from "../../evaluate/values/convert";
import type { Value } from "../../values";
import type { Operation } from "./context";
import { isGiven, oneOf } from "./emptyData";
import { knownFields, isAbsent, itemsOrSelf } from "./argumentValues";

/** Commands that come behind all others, in the order in which they run. */
export type PutOff = Command[];

/** Creates the rows of a list, or the one: at once, or put off. Linear in their data. */
export function createEach(
  operation: Operation,
  target: PrismaModel,
  value: Value,
  later: PutOff,
  write: (item: Value) => void,
): void {
  const { tools, source } = operation;
  const items = itemsOrSelf(tools, value);
  if (items !== undefined) {
    for (const item of items) {
      const when = dependsOnOthers(operation, target, item);
      if (!isLiteral(when, true) && !isLiteral(when, false)) tools.lose(ORDER, source);
      const run = (): void => {
        write(item);
      };
      if (isLiteral(when, true)) later.unshift(tools.collected(run));
      else run();
    }
    return;
  }
  const found: Expression[] = [];
  const command = tools.collected(() => {
    tools.each(value, source, (item) => {
      found.push(dependsOnOthers(operation, target, item));
      write(item);
    });
  });
  const areAll = found.length > 0 && found.every((when) => isLiteral(when, true));
  if (!areAll && !found.every((when) => isLiteral(when, false))) tools.lose(ORDER, source);
  if (areAll) later.unshift(command);
  else tools.emit(command);
}

const ORDER = "whether a related row is created behind the others is not known";

/** When data of a new row names rows that are read or created before it. What `connectOrCreate` names is not among them. */
function dependsOnOthers({ tools }: Operation, model: PrismaModel, data: Value): Expression {
  const parts = data.kind === "object" ? [...data.fields] : [];
  return oneOf(
    parts.flatMap(([name, { value }]): readonly Expression[] => {
      const field = model.fields.get(name);
      if (field?.kind !== "relation" || field.link?.at !== "here") return [];
      if (value === undefined || isAbsent(value)) return [];
      const actions = knownFields(tools, value) ?? [];
      return actions
        .filter(([action]) => action === "connect" || action === "create")
        .map(([, given]) => isGiven(given));
    }),
  );
}
