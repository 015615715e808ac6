// Folders of clients that Prisma generates, as imports reach them.
import type { FileId } from "../../../protocol/source";

/** A path that is written in a file, from where file ids start; `..` beyond that is dropped. */
export function joinedPath(file: FileId, written: string): string {
  const parts = written.startsWith("/") ? [] : file.split("/").slice(0, -1);
  for (const part of written.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** True if an import leads into one of the folders: by its path, or by the folder's last names behind an alias. */
export function leadsInto(folders: readonly string[], file: FileId, from: string): boolean {
  if (from.startsWith(".")) {
    const path = joinedPath(file, from);
    return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  }
  return folders.some((folder) => {
    const names = folder.split("/").slice(-2).join("/");
    return names.includes("/") && `${from}/`.includes(`/${names}/`);
  });
}
