/** Converts the comments of the protos to texts for callers over REST. */
import type { DescMessage, FileRegistry } from "@bufbuild/protobuf";

/** Returns the JSON names of fields by their proto names. Names with more than one JSON name are left out. */
export function jsonNames(registry: FileRegistry): Map<string, string> {
  const names = new Map<string, string>();
  const several = new Set<string>();
  const add = (message: DescMessage) => {
    for (const { name, jsonName } of message.fields) {
      if (!message.typeName.startsWith("platform.") || name === jsonName) continue;
      if ((names.get(name) ?? jsonName) !== jsonName) several.add(name);
      names.set(name, jsonName);
    }
  };
  for (const descriptor of registry) if (descriptor.kind === "message") add(descriptor);
  for (const name of several) names.delete(name);
  return names;
}

/** Returns the text with the JSON names of fields: `pageToken` for `page_token`. */
export const withJsonFieldNames = (text: string, names: Map<string, string>) =>
  text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => names.get(word) ?? word);

/** Words with an unusual spelling, by the words in a name in PascalCase. */
const spelled: Record<string, string> = {
  repo: "repository",
  repos: "repositories",
  sbom: "SBOM",
  sboms: "SBOMs",
  osv: "OSV",
  csaf: "CSAF",
  scim: "SCIM",
  eol: "EOL",
  vuln: "vulnerability",
  vulns: "vulnerabilities",
  archs: "architectures",
};

/** Returns a name in PascalCase as words: `batch create role bindings` for `BatchCreateRoleBindings`. */
export const splitName = (name: string) =>
  name
    .replace("OpenVex", "Openvex")
    .split(/(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .map((word) => (word === "openvex" ? "OpenVEX" : (spelled[word] ?? word)))
    .join(" ");

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the singular of a plural: `identity` for `identities`. */
export const singular = (text: string) =>
  text.endsWith("ies") ? `${text.slice(0, -3)}y` : text.replace(/s$/, "");
