// Members that Lombok writes into a class when it is compiled: accessors, constructors and builders, by the annotations
// of the class and of its fields.
import type { Span } from "../../sql/text/split";
import type {
  HirAnnotation,
  HirClass,
  HirExpression,
  HirField,
  HirFunction,
  HirMethod,
  HirParameter,
  HirStatement,
} from "../hir";

/** A class with the members that Lombok adds; what is written stays. */
export function withLombok(own: HirClass): HirClass {
  if (own.isInterface || own.name === undefined) return own;
  const fields = own.fields.filter(({ name, isStatic }) => !isStatic && !name.startsWith("$"));
  const accessors = fields.flatMap((field) => accessorsOf(own, field));
  const constructors = constructorsOf(own, fields);
  const known = { ...own, methods: [...own.methods, ...constructors, ...accessors] };
  const builder = builderOf(known, fields);
  return builder
    ? {
        ...known,
        methods: [...known.methods, ...builder.methods],
        classes: [...own.classes, builder.class],
      }
    : known;
}

function annotationOf(
  annotations: readonly HirAnnotation[],
  ...names: readonly string[]
): HirAnnotation | undefined {
  return annotations.find(({ name }) => names.includes(name.replace(/^lombok\.(?:experimental\.)?/u, ""))); // prettier-ignore
}

function optionsOf(annotation: HirAnnotation | undefined): ReadonlyMap<string, HirExpression> {
  const given = annotation?.arguments[0];
  const entries = given?.kind === "object" ? given.entries : [];
  return new Map(
    entries.flatMap((entry) =>
      entry.kind === "property" && typeof entry.key === "string" ? [[entry.key, entry.value]] : [],
    ),
  );
}

function isOn(annotation: HirAnnotation | undefined, option: string): boolean {
  const value = optionsOf(annotation).get(option);
  return value?.kind === "literal" && value.value === true;
}

function textOption(annotation: HirAnnotation | undefined, option: string): string | undefined {
  const value = optionsOf(annotation).get(option);
  return value?.kind === "text" ? value.runs.map(({ text }) => text).join("") : undefined;
}

/** `AccessLevel.NONE`, as the only argument or as `access`. */
function isNone(annotation: HirAnnotation | undefined): boolean {
  const value = optionsOf(annotation).get("access") ?? annotation?.arguments[0];
  const name = value?.kind === "member" ? value.property : value?.kind === "name" ? value.name : "";
  return name === "NONE";
}

const isValue = ({ annotations }: HirClass): boolean => annotationOf(annotations, "Value") !== undefined; // prettier-ignore

const isFinalIn = (own: HirClass, field: HirField): boolean =>
  field.isFinal || (isValue(own) && annotationOf(field.annotations, "NonFinal") === undefined);

/** True if a method of that name is written, with whatever parameters. */
function isWritten({ methods }: HirClass, name: string): boolean {
  return methods.some((each) => each.name.toLowerCase() === name.toLowerCase());
}

function accessorsOf(own: HirClass, field: HirField): readonly HirMethod[] {
  const getter =
    annotationOf(field.annotations, "Getter") ??
    annotationOf(own.annotations, "Getter", "Data", "Value");
  const setter =
    annotationOf(field.annotations, "Setter") ?? annotationOf(own.annotations, "Setter", "Data");
  const copy = annotationOf(field.annotations, "With") ?? annotationOf(own.annotations, "With");
  const style =
    annotationOf(field.annotations, "Accessors") ?? annotationOf(own.annotations, "Accessors");
  const isFluent = isOn(style, "fluent");
  const isChain = isFluent ? optionsOf(style).get("chain")?.kind !== "literal" || isOn(style, "chain") : isOn(style, "chain"); // prettier-ignore
  const { span, name, type } = field;
  const isFlag = type === "boolean";
  const bare = isFlag && /^is[A-Z]/u.test(name) ? lower(name.slice(2)) : name;
  const of = (name: string, hir: Pick<HirFunction, "parameters" | "body">, returns?: string) =>
    isWritten(own, name) ? [] : [method(name, hir, span, returns)];
  const given = parameter("value", field);
  const set = assign(ownField(name, span), nameOf("value", span), span);
  return [
    ...(getter && !isNone(getter)
      ? of(
          isFluent ? bare : `${isFlag ? "is" : "get"}${upper(bare)}`,
          { parameters: [], body: [giveBack(ownField(name, span), span)] },
          type,
        )
      : []),
    ...(setter && !isNone(setter) && !isFinalIn(own, field)
      ? of(isFluent ? bare : `set${upper(bare)}`, {
          parameters: [given],
          body: isChain ? [set, giveBack({ kind: "this", span }, span)] : [set],
        })
      : []),
    ...(copy && !isNone(copy)
      ? of(`with${upper(bare)}`, {
          parameters: [given],
          body: [giveBack(copyOf(own, name, span), span)],
        })
      : []),
  ];
}

/** A new object with all fields of this one but for one. */
function copyOf(own: HirClass, changed: string, span: Span): HirExpression {
  const values = allArguments(own).map((field) =>
    field.name === changed ? nameOf("value", span) : ownField(field.name, span),
  );
  return created(own.name ?? "", values, span);
}

/** The fields that a constructor of all arguments takes: a final one that has a value is none. */
function allArguments(own: HirClass): readonly HirField[] {
  return own.fields.filter(
    (field) =>
      !field.isStatic &&
      !field.name.startsWith("$") &&
      !(isFinalIn(own, field) && field.value && !isDefaultOfBuilder(field)),
  );
}

function isDefaultOfBuilder({ annotations }: HirField): boolean {
  return annotationOf(annotations, "Builder.Default", "Default") !== undefined;
}

function isRequired(own: HirClass, field: HirField): boolean {
  if (field.value) return false;
  return isFinalIn(own, field) || annotationOf(field.annotations, "NonNull") !== undefined;
}

function constructorsOf(own: HirClass, fields: readonly HirField[]): readonly HirMethod[] {
  const { annotations, name = "", header, methods } = own;
  const span = header;
  const all = annotationOf(annotations, "AllArgsConstructor");
  const none = annotationOf(annotations, "NoArgsConstructor");
  const some = annotationOf(annotations, "RequiredArgsConstructor");
  const hasOwn = methods.some(({ kind }) => kind === "constructor");
  const isPlain = !hasOwn && !all && !none && !some;
  const builder = annotationOf(annotations, "Builder");
  const isAll = all !== undefined || (isPlain && (isValue(own) || builder !== undefined));
  const isSome = some !== undefined || (isPlain && !isAll && annotationOf(annotations, "Data") !== undefined); // prettier-ignore
  const lists = [
    ...(none ? [[]] : []),
    ...(isSome ? [fields.filter((field) => isRequired(own, field))] : []),
    ...(isAll ? [allArguments(own)] : []),
  ];
  const seen = new Set(methods.filter(({ kind }) => kind === "constructor").map((each) => each.function.parameters.length)); // prettier-ignore
  const made = lists.flatMap((taken): readonly HirMethod[] => {
    if (seen.has(taken.length)) return [];
    seen.add(taken.length);
    return [constructor(name, taken, span)];
  });
  const named = [
    [all, allArguments(own)],
    [some, fields.filter((field) => isRequired(own, field))],
    [none, []],
    [annotationOf(annotations, "Data"), fields.filter((field) => isRequired(own, field))],
    [annotationOf(annotations, "Value"), allArguments(own)],
  ] as const;
  const factories = named.flatMap(([annotation, taken]): readonly HirMethod[] => {
    const factory = textOption(annotation, "staticName") ?? textOption(annotation, "staticConstructor"); // prettier-ignore
    if (factory === undefined || isWritten(own, factory)) return [];
    const values = taken.map((field) => nameOf(field.name, span));
    const body = [giveBack(created(name, values, span), span)];
    return [{ ...method(factory, { parameters: taken.map((field) => parameter(field.name, field)), body }, span, name), isStatic: true }]; // prettier-ignore
  });
  return [...made, ...factories];
}

function constructor(name: string, taken: readonly HirField[], span: Span): HirMethod {
  const parameters = taken.map((field) => parameter(field.name, field));
  const body = taken.map((field) => assign(ownField(field.name, span), nameOf(field.name, span), span)); // prettier-ignore
  return { ...method(name, { parameters, body }, span), kind: "constructor" };
}

/** The parts of a builder: what it collects, and how it makes an object of these. */
interface Collected {
  readonly annotation: HirAnnotation;
  readonly parts: readonly HirField[];
  readonly make: (values: readonly HirExpression[]) => readonly HirStatement[];
}

function builderOf(
  own: HirClass,
  fields: readonly HirField[],
): { readonly class: HirClass; readonly methods: readonly HirMethod[] } | undefined {
  const collected = collectedBy(own, fields);
  if (!collected) return undefined;
  const { annotation, parts, make } = collected;
  const { name = "", header: span } = own;
  const className = textOption(annotation, "builderClassName") ?? `${name}Builder`;
  const building = textOption(annotation, "buildMethodName") ?? "build";
  const starting = textOption(annotation, "builderMethodName") ?? "builder";
  const prefix = textOption(annotation, "setterPrefix");
  // A builder of which parts are written has what is written as well.
  const written = own.classes.find((each) => each.name === className);
  if (written) return undefined;
  const setters = parts.map((part) => {
    const set = assign(ownField(part.name, part.span), nameOf("value", part.span), part.span);
    const called = prefix === undefined ? part.name : `${prefix}${upper(part.name)}`;
    const body = [set, giveBack({ kind: "this", span: part.span }, part.span)];
    return method(called, { parameters: [parameter("value", part)], body }, part.span, className);
  });
  const values = parts.map(({ name: part }) => ownField(part, span));
  const build = method(building, { parameters: [], body: make(values) }, span, name);
  const builder: HirClass = {
    name: className,
    header: span,
    interfaces: [],
    isInterface: false,
    fields: parts.map((part) => ({
      ...part,
      isFinal: false,
      annotations: [],
      value: part.value ?? initialValue(part),
    })),
    methods: [...setters, build],
    classes: [],
    annotations: [],
    span,
  };
  const begin = { ...method(starting, { parameters: [], body: [giveBack(created(className, [], span), span)] }, span, className), isStatic: true }; // prettier-ignore
  const again = isOn(annotation, "toBuilder") && !isWritten(own, "toBuilder") ? [toBuilder(className, parts, prefix, span)] : []; // prettier-ignore
  return { class: builder, methods: [...(isWritten(own, starting) ? [] : [begin]), ...again] };
}

/** `this.toBuilder()`: a builder with what this object has. */
function toBuilder(
  className: string,
  parts: readonly HirField[],
  prefix: string | undefined,
  span: Span,
): HirMethod {
  // prettier-ignore
  const filled = parts.reduce<HirExpression>((object, part) => {
    const property = prefix === undefined ? part.name : `${prefix}${upper(part.name)}`;
    const callee: HirExpression = { kind: "member", object, property, optional: false, span };
    const value = ownField(part.name, span);
    return { kind: "call", callee, arguments: [{ value, isSpread: false }], optional: false, span };
  }, created(className, [], span));
  return method("toBuilder", { parameters: [], body: [giveBack(filled, span)] }, span, className);
}

function collectedBy(own: HirClass, fields: readonly HirField[]): Collected | undefined {
  const { name = "", header: span } = own;
  const annotation = annotationOf(own.annotations, "Builder");
  if (annotation) {
    const isKept = (field: HirField): boolean => isDefaultOfBuilder(field) || !field.value;
    const taken = allArguments(own);
    // Without `@Builder.Default` a builder leaves the value of a field aside.
    const parts = taken.map((field) => (isKept(field) ? field : withoutValue(field)));
    return {
      annotation,
      parts,
      make: (values) => [giveBack(created(name, values, span), span)],
    };
  }
  const ofConstructor = own.methods.find(
    ({ kind, function: { annotations } }) =>
      kind === "constructor" && annotationOf(annotations, "Builder"),
  );
  const declared = annotationOf(ofConstructor?.function.annotations ?? [], "Builder");
  if (ofConstructor && declared) {
    const parts = ofConstructor.function.parameters.flatMap((each) => fieldOf(each));
    if (parts.length !== ofConstructor.function.parameters.length) return undefined;
    return {
      annotation: declared,
      parts,
      make: (values) => [giveBack(created(name, values, span), span)],
    };
  }
  const inherited = annotationOf(own.annotations, "SuperBuilder");
  // Fields of a class above are not among its parts.
  if (!inherited || own.superclass !== undefined) return undefined;
  const parts = fields.map((field) => isDefaultOfBuilder(field) ? field : withoutValue(field)); // prettier-ignore
  const made = nameOf("made", span);
  return {
    annotation: inherited,
    parts,
    make: (values) => [
      { kind: "let", pattern: { kind: "bind", name: "made", span }, value: created(name, [], span), isMutable: false, span }, // prettier-ignore
      ...parts.flatMap((part, at): readonly HirStatement[] => {
        const value = values[at];
        const target: HirExpression = { kind: "member", object: made, property: part.name, optional: false, span }; // prettier-ignore
        return value ? [assign(target, value, span)] : [];
      }),
      giveBack(made, span),
    ],
  };
}

function withoutValue({ value: _value, ...field }: HirField): HirField {
  return field;
}

function fieldOf({ pattern, type, span }: HirParameter): readonly HirField[] {
  if (pattern.kind !== "bind") return [];
  const { name } = pattern;
  return [{ name, ...(type !== undefined && { type }), isStatic: false, isFinal: false, annotations: [], span }]; // prettier-ignore
}

/** Java's value of a field that nothing was assigned to. */
function initialValue({ type = "", span }: HirField): HirExpression {
  if (type === "boolean") return { kind: "literal", value: false, span };
  const isNumber = /^(?:int|long|short|byte|double|float|char)$/u.test(type);
  return { kind: "literal", value: isNumber ? 0 : null, span };
}

function method(
  name: string,
  { parameters, body }: Pick<HirFunction, "parameters" | "body">,
  span: Span,
  returns?: string,
): HirMethod {
  const header = { start: span.start, end: span.start };
  return {
    name,
    kind: "method",
    isStatic: false,
    isPrivate: false,
    function: { name, header, parameters, ...(returns !== undefined && { returns }), body, annotations: [], isArrow: false, isGenerator: false, span }, // prettier-ignore
    span,
  };
}

function parameter(name: string, { type, span }: HirField): HirParameter {
  return { pattern: { kind: "bind", name, span }, ...(type !== undefined && { type }), isRest: false, annotations: [], span }; // prettier-ignore
}

function ownField(property: string, span: Span): HirExpression {
  return { kind: "member", object: { kind: "this", span }, property, optional: false, span };
}

function nameOf(name: string, span: Span): HirExpression {
  return { kind: "name", name, span };
}

function created(name: string, values: readonly HirExpression[], span: Span): HirExpression {
  const given = values.map((value) => ({ value, isSpread: false }));
  return { kind: "new", callee: nameOf(name, span), arguments: given, span };
}

function giveBack(value: HirExpression, span: Span): HirStatement {
  return { kind: "return", value, span };
}

function assign(place: HirExpression, value: HirExpression, span: Span): HirStatement {
  const target = { kind: "place" as const, place, span };
  return { kind: "expression", expression: { kind: "assign", target, value, span }, span };
}

function upper(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
