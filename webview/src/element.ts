// Builds HTML elements with a minimal helper. Text is always text, never markup.

type Child = Node | string | undefined;

interface Properties {
  readonly class?: string;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly on?: Readonly<Partial<Record<keyof HTMLElementEventMap, (event: Event) => void>>>;
}

/** An element with its attributes, listeners and children; undefined ones are skipped. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  if (properties.class !== undefined) created.className = properties.class;
  for (const [name, value] of Object.entries(properties.attributes ?? {})) {
    if (value !== undefined) created.setAttribute(name, value);
  }
  for (const [name, listener] of Object.entries(properties.on ?? {})) {
    created.addEventListener(name, listener);
  }
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

/** A button that runs something. */
export function button(
  properties: Properties & { readonly label?: string; readonly run: () => void },
  ...children: readonly Child[]
): HTMLButtonElement {
  const created = element("button", properties, ...children);
  created.type = "button";
  if (properties.label !== undefined) {
    created.setAttribute("aria-label", properties.label);
    created.title = properties.label;
  }
  created.addEventListener("click", properties.run);
  return created;
}
