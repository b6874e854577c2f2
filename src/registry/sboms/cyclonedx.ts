/** Reads CycloneDX in JSON, which exists since 1.2 (ECMA-424; https://cyclonedx.org/docs/1.6/json). */

import { ComponentGraph_Edge_Type as Type } from "../../../schema/gen/platform/tenant/sboms_pb.js";
import { isObject } from "../../aip/json.ts";
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
import { joinLicenses, type Sbom, SbomGraph, type SbomPackage } from "./sbom.ts";

/** The nesting of components. Real documents have two or three levels. */
const maxDepth = 64;

/** Reads the document. Throws INVALID_ARGUMENT for the place that is unreadable. */
export function readCycloneDx(document: JsonNode): Sbom {
  const specVersion = textAt(document, "specVersion");
  if (!/^1\.([2-9]|\d\d)$/.test(specVersion)) {
    throw invalidContent("specVersion", `must be 1.2 or later; it is ${quoted(specVersion)}`);
  }
  const metadata = objectAt(document, "metadata");
  const graph = new SbomGraph();
  const subject = metadata.object.component ? [objectAt(metadata, "component")] : [];
  for (const component of subject) {
    const id = addComponent(graph, component, 0);
    const documentId = textAt(document, "serialNumber") || "#";
    graph.addEdge({ subject: documentId, object: id, type: Type.DESCRIBES });
  }
  for (const component of objectsAt(document, "components")) addComponent(graph, component, 0);
  for (const dependency of objectsAt(document, "dependencies")) addDependency(graph, dependency);
  const about = subject[0];
  return {
    format: "CycloneDX",
    specVersion,
    name: about ? nameOf(about) : "",
    description: about ? textAt(about, "description") : "",
    tool: toolsOf(metadata),
    authors: authorsOf(metadata),
    generatedTime: timeAt(metadata, "timestamp"),
    operatingSystem: graph.operatingSystem,
    nodes: graph.nodes,
    edges: graph.edges,
  };
}

/** Adds a component and the components in it. Returns its id. */
function addComponent(graph: SbomGraph, node: JsonNode, depth: number): string {
  if (depth > maxDepth)
    throw invalidContent(node.path, `is nested more than ${maxDepth} components deep`);
  const id = textAt(node, "bom-ref") || pointerTo(node);
  if (textAt(node, "type") === "file") {
    const mediaType = textAt(node, "mime-type");
    const types = mediaType === "" ? [] : [mediaType];
    graph.addNode({ kind: "file", id, name: requiredTextAt(node, "name"), types });
  } else graph.addNode(readPackage(node, id));
  if (textAt(node, "type") === "operating-system")
    graph.addOperatingSystem(requiredTextAt(node, "name"), textAt(node, "version"));
  for (const part of objectsAt(node, "components")) {
    const object = addComponent(graph, part, depth + 1);
    graph.addEdge({ subject: id, object, type: Type.CONTAINS });
  }
  return id;
}

/** Converts `components[3].components[0]` to `#/components/3/components/0` (RFC 6901). */
const pointerTo = ({ path }: JsonNode) => `#/${path.replaceAll(/\.|\[/g, "/").replaceAll("]", "")}`;

const readPackage = (node: JsonNode, id: string): SbomPackage => ({
  kind: "package",
  id,
  name: nameOf(node),
  version: textAt(node, "version"),
  license: licenseOf(node),
  description: textAt(node, "description"),
  purl: textAt(node, "purl"),
  source: sourceOf(node),
});

/** The properties in which Trivy names the source of a package. */
const sourceProperties = /^aquasecurity:trivy:Src(Name|Epoch|Version|Release)$/;

/** The source that the properties of a component name. Properties of another form count for nothing. */
function sourceOf({ object: { properties } }: JsonNode): SourcePackage | undefined {
  if (!Array.isArray(properties)) return undefined;
  const said: Record<string, string> = {};
  for (const property of properties) {
    const { name = "", value = "" } = isObject(property) ? property : {};
    const [, part] = sourceProperties.exec(String(name)) ?? [];
    if (part !== undefined && typeof value === "string") said[part] = value;
  }
  const { Name: name, Epoch: epoch, Version: version = "", Release: release } = said;
  if (!name) return undefined;
  const whole = `${epoch ? `${epoch}:` : ""}${version}${release ? `-${release}` : ""}`;
  return { name, version: version === "" ? "" : whole };
}

function nameOf(node: JsonNode): string {
  const [group, name] = [textAt(node, "group"), requiredTextAt(node, "name")];
  return group === "" ? name : `${group}/${name}`;
}

/** Either one expression, or licenses with an SPDX id or a name. */
function licenseOf(node: JsonNode): string {
  const licenses = objectsAt(node, "licenses").map((choice) => {
    const license = objectAt(choice, "license");
    return textAt(choice, "expression") || textAt(license, "id") || textAt(license, "name");
  });
  return joinLicenses(licenses.filter((license) => license !== ""));
}

/**
 * Until 1.4 this is a list of tools. Later it contains components and services, but the list is still
 * allowed.
 */
function toolsOf(metadata: JsonNode): string {
  const tools = Array.isArray(metadata.object.tools)
    ? objectsAt(metadata, "tools")
    : ["components", "services"].flatMap((key) => objectsAt(objectAt(metadata, "tools"), key));
  return tools
    .map((tool) => [textAt(tool, "name"), textAt(tool, "version")].filter(Boolean).join("-"))
    .filter(Boolean)
    .join(", ");
}

/** The authors, and the organization that produced the document (since 1.6). */
function authorsOf(metadata: JsonNode): string {
  const people = objectsAt(metadata, "authors").map((author) => {
    const [name, address] = [textAt(author, "name"), textAt(author, "email")];
    if (name === "" || address === "") return name || address;
    return `${name} (${address})`;
  });
  const organization = textAt(objectAt(metadata, "manufacturer"), "name");
  return [...people, organization].filter(Boolean).join(", ");
}

/** `provides` (since 1.6) names what a component implements. The graph has no relation for it. */
function addDependency(graph: SbomGraph, node: JsonNode): void {
  const subject = requiredTextAt(node, "ref");
  const add = (key: string, type: Type) => {
    for (const object of textsAt(node, key)) graph.addEdge({ subject, object, type });
  };
  add("dependsOn", Type.DEPENDS_ON);
  add("provides", Type.UNKNOWN);
}
