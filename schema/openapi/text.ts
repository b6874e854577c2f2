/** Comments of the protos as texts for who calls over REST. */
import type { DescMessage, FileRegistry } from "@bufbuild/protobuf";

/** Proto names of fields to their JSON names, where all fields of the name have the same one. */
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
  for (const one of registry) if (one.kind === "message") add(one);
  for (const name of several) names.delete(name);
  return names;
}

/** The text with fields called as in JSON: `pageToken` for `page_token`. */
export const withJsonFieldNames = (text: string, names: Map<string, string>) =>
  text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => names.get(word) ?? word);

/** Words that are not written as the rest: what a name in PascalCase has to be read as. */
const spelled: Record<string, string> = {
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

/** A name in PascalCase as words: `BatchCreateRoleBindings` is `batch create role bindings`. */
export const splitName = (name: string) =>
  name
    .replace("OpenVex", "Openvex")
    .split(/(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .map((word) => (word === "openvex" ? "OpenVEX" : (spelled[word] ?? word)))
    .join(" ");

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** One of what a plural names: `identities` is `identity`. */
export const singular = (text: string) =>
  text.endsWith("ies") ? `${text.slice(0, -3)}y` : text.replace(/s$/, "");
