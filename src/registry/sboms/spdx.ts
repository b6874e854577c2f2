/** Reads SPDX 2.2 and 2.3 in JSON (ISO/IEC 5962; https://spdx.github.io/spdx-spec/v2.3). */

import type { JsonValue } from "@bufbuild/protobuf";
import { ComponentGraph_Edge_Type as Type } from "../../../schema/gen/platform/tenant/sboms_pb.js";
import { quoted } from "../../aip/quoted.ts";
import type { SourcePackage } from "../../packages/match_columns.ts";
import {
  invalidContent,
  type JsonNode,
  objectAt,
  objectsAt,
  requiredTextAt,
  textAt,
  textsAt,
  timeAt,
} from "./json_node.ts";
import { type Sbom, type SbomEdge, type SbomFile, SbomGraph, type SbomPackage } from "./sbom.ts";

/** The relationships that the graph can represent (clause 11), and whether their direction is reversed. */
const relations = new Map<string, { type: Type; isReversed: boolean }>(
  (
    [
      [Type.DESCRIBES, ["DESCRIBES"], ["DESCRIBED_BY"]],
      [Type.CONTAINS, ["CONTAINS"], ["CONTAINED_BY"]],
      [
        Type.DEPENDS_ON,
        ["DEPENDS_ON", "HAS_PREREQUISITE"],
        [
          "DEPENDENCY_OF",
          "BUILD_DEPENDENCY_OF",
          "DEV_DEPENDENCY_OF",
          "TEST_DEPENDENCY_OF",
          "OPTIONAL_DEPENDENCY_OF",
          "PROVIDED_DEPENDENCY_OF",
          "RUNTIME_DEPENDENCY_OF",
          "PREREQUISITE_FOR",
        ],
      ],
      [Type.GENERATED_FROM, ["GENERATED_FROM"], ["GENERATES"]],
    ] as const
  ).flatMap(([type, forward, reversed]) => [
    ...forward.map((name) => [name, { type, isReversed: false }] as const),
    ...reversed.map((name) => [name, { type, isReversed: true }] as const),
  ]),
);

/** Values in place of an element: there is none, or it is unknown (clause 11.1). */
const noElements = ["NONE", "NOASSERTION"];

/** Reads the document. Throws INVALID_ARGUMENT for the place that is unreadable. */
export function readSpdx(document: JsonNode): Sbom {
  const version = textAt(document, "spdxVersion");
  const specVersion = /^SPDX-(2\.\d+)$/.exec(version)?.[1];
  if (!specVersion)
    throw invalidContent("spdxVersion", `must be a version of SPDX 2; it is ${quoted(version)}`);
  const creation = objectAt(document, "creationInfo");
  const creators = textsAt(creation, "creators");
  const said = (...kinds: string[]) =>
    creators
      .flatMap((creator) => {
        const [, kind = "", name = ""] = /^(\w+):\s*(.*)$/s.exec(creator) ?? [];
        return kinds.includes(kind) ? [name.trim()] : [];
      })
      .join(", ");
  const graph = readGraph(document);
  return {
    format: "SPDX",
    specVersion,
    name: textAt(document, "name"),
    description: textAt(document, "comment"),
    tool: said("Tool"),
    authors: said("Person", "Organization"),
    generatedTime: timeAt(creation, "created"),
    operatingSystem: graph.operatingSystem,
    nodes: graph.nodes,
    edges: graph.edges,
  };
}

function readGraph(document: JsonNode): SbomGraph {
  const graph = new SbomGraph();
  const packages = objectsAt(document, "packages");
  for (const element of packages) {
    graph.addNode(readPackage(element));
    if (element.object.primaryPackagePurpose === "OPERATING-SYSTEM")
      graph.addOperatingSystem(requiredTextAt(element, "name"), textAt(element, "versionInfo"));
  }
  for (const element of objectsAt(document, "files")) graph.addNode(readFile(element));
  for (const element of objectsAt(document, "relationships")) {
    for (const edge of readRelationship(element)) graph.addEdge(edge);
  }
  for (const edge of describedBy(document)) graph.addEdge(edge);
  for (const element of packages) for (const edge of filesOf(element)) graph.addEdge(edge);
  return graph;
}

function readPackage(node: JsonNode): SbomPackage {
  return {
    kind: "package",
    id: requiredTextAt(node, "SPDXID"),
    name: requiredTextAt(node, "name"),
    version: textAt(node, "versionInfo"),
    license: licenseOf(node),
    description: textAt(node, "description") || textAt(node, "summary"),
    purl: purlOf(node),
    source: sourceIn(node.object.sourceInfo),
    builtTime: timeAt(node, "builtDate"),
    supportEndTime: timeAt(node, "validUntilDate"),
  };
}

/** NOASSERTION means unknown. NONE means that there is none, and is returned. */
function licenseOf(node: JsonNode): string {
  const licenses = [textAt(node, "licenseConcluded"), textAt(node, "licenseDeclared")];
  return licenses.find((license) => license !== "" && license !== "NOASSERTION") ?? "";
}

/** A type is a single word or a whole URI, `http://spdx.org/rdf/references/purl` (annex F.1). */
function purlOf(node: JsonNode): string {
  const purl = objectsAt(node, "externalRefs").find((reference) =>
    /^(.*\/)?purl$/.test(textAt(reference, "referenceType")),
  );
  return purl ? textAt(purl, "referenceLocator") : "";
}

/** Trivy names the source of a package in words: `built package from: openssl 3.0.11-1~deb12u2`. */
export function sourceIn(words: JsonValue | undefined): SourcePackage | undefined {
  const [, name, version] =
    (typeof words === "string" && /^built package from: (\S+)(?: (\S+))?$/.exec(words)) || [];
  return name === undefined ? undefined : { name, version: version ?? "" };
}

const readFile = (node: JsonNode): SbomFile => ({
  kind: "file",
  id: requiredTextAt(node, "SPDXID"),
  name: requiredTextAt(node, "fileName"),
  types: textsAt(node, "fileTypes"),
});

function readRelationship(node: JsonNode): SbomEdge[] {
  const subject = requiredTextAt(node, "spdxElementId");
  const object = requiredTextAt(node, "relatedSpdxElement");
  const { type, isReversed } = relations.get(requiredTextAt(node, "relationshipType")) ?? {
    type: Type.UNKNOWN,
    isReversed: false,
  };
  if (noElements.includes(object) || noElements.includes(subject)) return [];
  return [isReversed ? { subject: object, object: subject, type } : { subject, object, type }];
}

/** An older form of DESCRIBES (clause 6, until 2.2). */
const describedBy = (document: JsonNode): SbomEdge[] =>
  textsAt(document, "documentDescribes").map((object) => ({
    subject: textAt(document, "SPDXID") || "SPDXRef-DOCUMENT",
    object,
    type: Type.DESCRIBES,
  }));

/** An older form of CONTAINS (clause 7, until 2.2). */
const filesOf = (node: JsonNode): SbomEdge[] =>
  textsAt(node, "hasFiles").map((object) => ({
    subject: requiredTextAt(node, "SPDXID"),
    object,
    type: Type.CONTAINS,
  }));
