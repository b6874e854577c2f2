/** Capabilities by the kind of resource that they are about. */
import { type CapabilityInfo, capabilities } from "../../client/capabilities.ts";
import { capitalized } from "../elements/badge.tsx";

/** The capabilities of one kind of resource, such as repositories. */
export interface CapabilityGroup {
  /** The name without its last part, such as `repo`. */
  kind: string;
  /** The kind as a title, such as `Role bindings`. */
  title: string;
  members: CapabilityInfo[];
}

/** The part of a name before its last dot: `repo` of `repo.list`. */
const kindOf = ({ name }: CapabilityInfo): string => name.slice(0, name.lastIndexOf(".")) || name;

/** Titles of kinds whose names are short or old. */
const titles: Record<string, string> = {
  repo: "Repositories",
  tag: "Tags",
  manifest: "Manifests",
  "manifest.metadata": "Metadata of manifests",
  "repo.blobs": "Blobs",
  identity: "Identities",
  subscriptions: "Event subscriptions",
  record_signatures: "Signatures of images",
  vuln_report: "Vulnerability reports",
  vuln: "Vulnerabilities",
  sboms: "Software bills of materials",
  mcp: "Tools for language models",
};

/** The capabilities for which `isShown` returns true, in the order of the reference. */
export function capabilityGroups(
  isShown: (capability: CapabilityInfo) => boolean,
): CapabilityGroup[] {
  const groups = Map.groupBy(capabilities.filter(isShown), kindOf);
  return [...groups].map(([kind, members]) => ({
    kind,
    members,
    title: titles[kind] ?? capitalized(kind.replaceAll(".", " ")),
  }));
}
