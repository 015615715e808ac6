// The projects of the workspace's folders and of open documents outside of them, with the editor's texts.
import path from "node:path";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import type { FileId } from "../protocol/source";
import type { CodeCache } from "../workspace/codeFiles";
import { DEFAULT_CONFIGURATION } from "../workspace/configuration";
import { forFiles, loadProjects, type Project } from "../workspace/projects";
import { projectKey } from "./serverState";
import { pathOfUri, VIRTUAL_FOLDER } from "./uris";

/** All projects by key. Unreadable files are left out; the project lists them. */
export async function loadWorkspace(
  folders: readonly string[],
  documents: readonly TextDocument[],
  codeCache: CodeCache = new Map(),
): Promise<ReadonlyMap<string, Project>> {
  const openTexts = new Map<string, string>();
  for (const document of documents) {
    const file = pathOfUri(document.uri);
    if (file !== undefined) openTexts.set(file, document.getText());
  }
  const projects = new Map<string, Project>();
  const add = (project: Project): void => {
    const key = projectKey(project);
    const known = projects.get(key);
    projects.set(key, known ? joined(known, project) : project);
  };
  for (const folder of folders) {
    const { projects: found } = await loadProjects([folder], { cwd: folder, openTexts, codeCache });
    found.forEach(add);
  }
  for (const document of documents.filter((each) => isChecked(each, folders))) {
    const file = pathOfUri(document.uri);
    if (file === undefined) add(virtualProject(document));
    else if (!holdsFile(projects, file)) {
      const options = { cwd: path.dirname(file), openTexts };
      (await loadProjects([file], options)).projects.forEach(add);
    }
  }
  return projects;
}

/** The project with a file's text replaced, or unchanged if it has no such file. */
export function withText(project: Project, file: string, text: string): Project {
  const replace = (files: Project["files"]): Project["files"] =>
    files.map((each) => (each.file === file ? { file: each.file, text } : each));
  return { ...project, files: replace(project.files), context: replace(project.context) };
}

/** True if a document should get its own project. Code in a folder should not: the folder's rules excluded it. */
function isChecked(document: TextDocument, folders: readonly string[]): boolean {
  const { languageId, uri } = document;
  if (languageId === "json" || languageId === "jsonc") return false;
  if (codeLanguageOf(uri) === undefined) return !CODE.has(languageId);
  const file = pathOfUri(uri);
  return !folders.some(
    (folder) => file !== undefined && !path.relative(folder, file).startsWith(".."),
  );
}

/** Language ids of code in editors; the only sign for a document without a file name. */
const CODE: ReadonlySet<string> = new Set([
  "typescript",
  "typescriptreact",
  "javascript",
  "javascriptreact",
  "java",
]);

function holdsFile(projects: ReadonlyMap<string, Project>, file: string): boolean {
  return [...projects.values()].some((project) =>
    [...project.files, ...project.context].some(
      (each) => path.resolve(project.folder, each.file) === file,
    ),
  );
}

/** The union of two loads with the same configuration. */
function joined(a: Project, b: Project): Project {
  const names = new Set(a.files.map((each) => each.file));
  const files = [...a.files, ...b.files.filter((each) => !names.has(each.file))];
  const all = new Set(files.map((each) => each.file));
  return { ...a, files, context: a.context.filter((each) => !all.has(each.file)) };
}

function virtualProject(document: TextDocument): Project {
  // A document without a file is named by its URI.
  const file = document.uri as FileId;
  const files = [{ file, text: document.getText() }];
  return {
    folder: VIRTUAL_FOLDER,
    configuration: forFiles(DEFAULT_CONFIGURATION, files),
    configurationProblems: [],
    files,
    context: [],
    skipped: [],
  };
}
