// The four kinds of themes as an editor gives them to a webview: a class of the body and variables.

export type ThemeKind = "dark" | "light" | "high-contrast" | "high-contrast-light";

export const THEMES: readonly ThemeKind[] = [
  "dark",
  "light",
  "high-contrast",
  "high-contrast-light",
];

/** The classes that an editor puts on the body. */
export function themeClass(kind: ThemeKind): string {
  return kind === "high-contrast-light"
    ? "vscode-high-contrast vscode-high-contrast-light"
    : `vscode-${kind}`;
}

/** The variables of a theme of that kind, as a style sheet. */
export function themeStyle(kind: ThemeKind): string {
  const variables = Object.entries({ ...SHARED, ...VARIABLES[kind] });
  const lines = variables.map(([name, value]) => `--vscode-${name}: ${value};`);
  return `:root { ${lines.join(" ")} }`;
}

const SHARED = {
  "font-family": "system-ui, 'Open Sans', sans-serif",
  "font-size": "13px",
  "editor-font-family": "'DejaVu Sans Mono', monospace",
};

const VARIABLES: Readonly<Record<ThemeKind, Readonly<Record<string, string>>>> = {
  dark: {
    "editor-background": "#1f1f1f",
    "editor-foreground": "#cccccc",
    foreground: "#ffffff",
    descriptionForeground: "#9d9d9d",
    "panel-border": "#2b2b2b",
    "editorWidget-background": "#262626",
    "list-inactiveSelectionBackground": "#2a3f55",
    "list-hoverBackground": "#2a2d2e",
    focusBorder: "#0078d4",
    "textPreformat-foreground": "#d0d0d0",
    "isolens-readWrite": "#f48771",
    "isolens-writeRead": "#75beff",
    "isolens-writeWrite": "#d7ba3d",
  },
  light: {
    "editor-background": "#ffffff",
    "editor-foreground": "#3b3b3b",
    foreground: "#1f1f1f",
    descriptionForeground: "#5f5f5f",
    "panel-border": "#e5e5e5",
    "editorWidget-background": "#f8f8f8",
    "list-inactiveSelectionBackground": "#dcebfb",
    "list-hoverBackground": "#f2f2f2",
    focusBorder: "#005fb8",
    "textPreformat-foreground": "#a31515",
    "isolens-prevented": "#2c7d32",
    "button-secondaryBackground": "#e5e5e5",
    "button-secondaryForeground": "#3b3b3b",
    "isolens-readWrite": "#b5401f",
    "isolens-writeRead": "#0067b8",
    "isolens-writeWrite": "#8a6d00",
    "isolens-sessionOrder": "#6b6b6b",
    "isolens-instance1": "#8b2f85",
    "isolens-instance2": "#0b7261",
    "isolens-instance3": "#8a5a10",
    "isolens-instance4": "#3a55b4",
  },
  "high-contrast": {
    "editor-background": "#000000",
    "editor-foreground": "#ffffff",
    foreground: "#ffffff",
    descriptionForeground: "#e8e8e8",
    "panel-border": "#6fc3df",
    "editorWidget-background": "#0c141f",
    "list-hoverBackground": "#1a1a1a",
    focusBorder: "#f38518",
    "textPreformat-foreground": "#ffffff",
    "button-border": "#6fc3df",
    "button-secondaryBackground": "#000000",
    "button-secondaryForeground": "#ffffff",
    "isolens-readWrite": "#ff9b85",
    "isolens-writeWrite": "#ffe066",
    "isolens-sessionOrder": "#d4d4d4",
    "isolens-instance1": "#e3a6de",
    "isolens-instance2": "#6fe3cb",
    "isolens-instance3": "#f0cf9a",
    "isolens-instance4": "#b9ccff",
  },
  "high-contrast-light": {
    "editor-background": "#ffffff",
    "editor-foreground": "#292929",
    foreground: "#292929",
    descriptionForeground: "#292929",
    "panel-border": "#0f4a85",
    "editorWidget-background": "#ffffff",
    "list-inactiveSelectionBackground": "#0f4a8519",
    "list-hoverBackground": "#f0f0f0",
    focusBorder: "#006bbd",
    "textPreformat-foreground": "#292929",
    "isolens-prevented": "#1a5c1f",
    "button-border": "#0f4a85",
    "button-secondaryBackground": "#ffffff",
    "button-secondaryForeground": "#0f4a85",
    "isolens-readWrite": "#8f2b0e",
    "isolens-writeRead": "#004a85",
    "isolens-writeWrite": "#5f4b00",
    "isolens-sessionOrder": "#3b3b3b",
    "isolens-instance1": "#6e1f69",
    "isolens-instance2": "#065446",
    "isolens-instance3": "#633f07",
    "isolens-instance4": "#233a8c",
  },
};
