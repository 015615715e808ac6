// The extension as editors install it: a zip archive with the two lists that the marketplace reads. Written here, since @vscode/vsce
// (4.1) needs Node.js 22 and brings 290 packages, clients of Azure and a key ring among them, of which packing uses none.
import path from "node:path";
import { zipOf } from "./zip.mjs";

/**
 * The .vsix file of an extension.
 *
 * @param {Manifest} manifest
 * @param {ReadonlyMap<string, Uint8Array>} files by their paths in the extension
 * @returns {Buffer}
 */
export function vsixOf(manifest, files) {
  const text = (/** @type {string} */ content) => Buffer.from(content, "utf8");
  return zipOf([
    { name: "extension.vsixmanifest", bytes: text(manifestText(manifest)) },
    { name: "[Content_Types].xml", bytes: text(contentTypes([...files.keys()])) },
    ...[...files].map(([file, bytes]) => ({ name: `extension/${file}`, bytes })),
  ]);
}

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} displayName
 * @property {string} description
 * @property {string} version
 * @property {string} publisher
 * @property {readonly string[]} categories
 * @property {readonly string[]} keywords
 * @property {{ readonly vscode: string }} engines
 * @property {readonly string[]} extensionKind
 * @property {{ readonly url: string }} repository
 */

/** @param {Manifest} manifest */
function manifestText(manifest) {
  const { name, version, publisher, engines, extensionKind, repository } = manifest;
  const properties = {
    "Microsoft.VisualStudio.Code.Engine": engines.vscode,
    "Microsoft.VisualStudio.Code.ExtensionDependencies": "",
    "Microsoft.VisualStudio.Code.ExtensionPack": "",
    "Microsoft.VisualStudio.Code.ExtensionKind": extensionKind.join(","),
    "Microsoft.VisualStudio.Code.LocalizedLanguages": "",
    "Microsoft.VisualStudio.Services.Links.Source": repository.url,
    "Microsoft.VisualStudio.Services.GitHubFlavoredMarkdown": "true",
    "Microsoft.VisualStudio.Services.Content.Pricing": "Free",
  };
  const assets = [
    ["Microsoft.VisualStudio.Code.Manifest", "package.json"],
    ["Microsoft.VisualStudio.Services.Content.Details", "README.md"],
    ["Microsoft.VisualStudio.Services.Content.Changelog", "CHANGELOG.md"],
    ["Microsoft.VisualStudio.Services.Content.License", "LICENSE"],
  ];
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US"${attributes({ Id: name, Version: version, Publisher: publisher })}/>
    <DisplayName>${escaped(manifest.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(manifest.description)}</Description>
    <Tags>${escaped(manifest.keywords.join(","))}</Tags>
    <Categories>${escaped(manifest.categories.join(","))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
${Object.entries(properties)
  .map(([Id, Value]) => `      <Property${attributes({ Id, Value })}/>`)
  .join("\n")}
    </Properties>
    <License>extension/LICENSE</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
${assets
  .map(([Type, file]) => {
    const values = { Type, Path: `extension/${file}`, Addressable: "true" };
    return `    <Asset${attributes(values)}/>`;
  })
  .join("\n")}
  </Assets>
</PackageManifest>
`;
}

/**
 * The media type of each ending, as the Open Packaging Conventions ask for it.
 *
 * @param {readonly string[]} files
 */
function contentTypes(files) {
  const endings = new Set([...files.map((file) => path.extname(file)), ".vsixmanifest"]);
  const known = [...endings].filter((ending) => ending !== "").sort();
  const types = known.map((ending) => {
    const values = {
      Extension: ending,
      ContentType: TYPES.get(ending) ?? "application/octet-stream",
    };
    return `  <Default${attributes(values)}/>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${types.join("\n")}
</Types>
`;
}

const TYPES = new Map([
  [".cjs", "application/javascript"],
  [".css", "text/css"],
  [".js", "application/javascript"],
  [".json", "application/json"],
  [".md", "text/markdown"],
  [".png", "image/png"],
  [".svg", "image/svg+xml"],
  [".txt", "text/plain"],
  [".vsixmanifest", "text/xml"],
  [".wasm", "application/wasm"],
]);

/** @param {Readonly<Record<string, string | undefined>>} values */
function attributes(values) {
  return Object.entries(values)
    .map(([name, value = ""]) => ` ${name}="${escaped(value)}"`)
    .join("");
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[<>&"]/gu, (sign) => `&#${String(sign.charCodeAt(0))};`);
}
