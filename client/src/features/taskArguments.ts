// The command line of a task in tasks.json.

/**
 * `{ "command": "check", "path": "db", "level": "postgres:serializable" }`; non-text values are ignored. Paths are relative to the folder.
 */
export function checkArguments(definition: Readonly<Record<string, unknown>>): readonly string[] {
  const { path, level } = definition;
  return [
    "check",
    typeof path === "string" && path !== "" ? `./${path.replace(/^\.\//u, "")}` : ".",
    ...(typeof level === "string" && level !== "" ? [`--level=${level}`] : []),
    "--format=github",
  ];
}
