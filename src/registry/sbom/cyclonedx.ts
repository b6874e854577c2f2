/** CycloneDX in JSON, which began with 1.2 (ECMA-424; https://cyclonedx.org/docs/1.6/json). */
import { ComponentGraph_Edge_Type as Type } from "../../../schema/gen/platform/tenant/sboms_pb.js";
import {
  bad,
  neededAt,
  objectAt,
  objectsAt,
  type Place,
  textAt,
  textsAt,
  timeAt,
} from "./place.ts";
import { Graph, type Package, type Sbom } from "./sbom.ts";

/** Components within components. Real documents have two or three levels. */
const deepest = 64;

/** Reads the document. Throws INVALID_ARGUMENT naming the place that cannot be read. */
export function readCycloneDx(document: Place): Sbom {
  const specVersion = textAt(document, "specVersion");
  if (!/^1\.([2-9]|\d\d)$/.test(specVersion)) {
    throw bad("specVersion", `is ${specVersion.slice(0, 40)}; 1.2 and later are taken`);
  }
  const metadata = objectAt(document, "metadata");
  const graph = new Graph();
  const subject = metadata.object.component ? [objectAt(metadata, "component")] : [];
  for (const one of subject) {
    const id = addComponent(graph, one, 0);
    const documentId = textAt(document, "serialNumber") || "#";
    graph.addEdge({ subject: documentId, object: id, type: Type.DESCRIBES });
  }
  for (const one of objectsAt(document, "components")) addComponent(graph, one, 0);
  for (const one of objectsAt(document, "dependencies")) addDependency(graph, one);
  const about = subject[0];
  return {
    format: "CycloneDX",
    specVersion,
    name: about ? nameOf(about) : "",
    description: about ? textAt(about, "description") : "",
    tool: toolsOf(metadata),
    authors: authorsOf(metadata),
    generatedTime: timeAt(metadata, "timestamp"),
    nodes: graph.nodes,
    edges: graph.edges,
  };
}

/** Adds a component and those within it; answers its id. */
function addComponent(graph: Graph, at: Place, depth: number): string {
  if (depth > deepest) throw bad(at.path, `is more than ${deepest} components deep`);
  const id = textAt(at, "bom-ref") || pointerTo(at);
  if (textAt(at, "type") === "file") {
    const mediaType = textAt(at, "mime-type");
    const types = mediaType === "" ? [] : [mediaType];
    graph.addNode({ kind: "file", id, name: neededAt(at, "name"), types });
  } else graph.addNode(readPackage(at, id));
  for (const part of objectsAt(at, "components")) {
    const object = addComponent(graph, part, depth + 1);
    graph.addEdge({ subject: id, object, type: Type.CONTAINS });
  }
  return id;
}

/** `components[3].components[0]` as `#/components/3/components/0` (RFC 6901). */
const pointerTo = ({ path }: Place) => `#/${path.replaceAll(/\.|\[/g, "/").replaceAll("]", "")}`;

const readPackage = (at: Place, id: string): Package => ({
  kind: "package",
  id,
  name: nameOf(at),
  version: textAt(at, "version"),
  license: licenseOf(at),
  description: textAt(at, "description"),
  purl: textAt(at, "purl"),
});

function nameOf(at: Place): string {
  const [group, name] = [textAt(at, "group"), neededAt(at, "name")];
  return group === "" ? name : `${group}/${name}`;
}

/** Either one expression, or licenses by SPDX id or a name of their own. */
function licenseOf(at: Place): string {
  const licenses = objectsAt(at, "licenses")
    .map((choice) => {
      const license = objectAt(choice, "license");
      return textAt(choice, "expression") || textAt(license, "id") || textAt(license, "name");
    })
    .filter((license) => license !== "");
  const [only] = licenses;
  if (only === undefined || licenses.length === 1) return only ?? "";
  return licenses
    .map((license) => (/ (AND|OR) /i.test(license) ? `(${license})` : license))
    .join(" AND ");
}

/** Until 1.4 a list of tools; then components and services, where the list is still allowed. */
function toolsOf(metadata: Place): string {
  const tools = Array.isArray(metadata.object.tools)
    ? objectsAt(metadata, "tools")
    : ["components", "services"].flatMap((key) => objectsAt(objectAt(metadata, "tools"), key));
  return tools
    .map((tool) => [textAt(tool, "name"), textAt(tool, "version")].filter(Boolean).join("-"))
    .filter(Boolean)
    .join(", ");
}

/** Its people, and the organization that made the document (since 1.6). */
function authorsOf(metadata: Place): string {
  const people = objectsAt(metadata, "authors").map((author) => {
    const [name, address] = [textAt(author, "name"), textAt(author, "email")];
    if (name === "" || address === "") return name || address;
    return `${name} (${address})`;
  });
  const organization = textAt(objectAt(metadata, "manufacturer"), "name");
  return [...people, organization].filter(Boolean).join(", ");
}

/** `provides` (since 1.6) names what a component implements, for which the graph has no word. */
function addDependency(graph: Graph, at: Place): void {
  const subject = neededAt(at, "ref");
  const add = (key: string, type: Type) => {
    for (const object of textsAt(at, key)) graph.addEdge({ subject, object, type });
  };
  add("dependsOn", Type.DEPENDS_ON);
  add("provides", Type.UNKNOWN);
}
