/** Reads SPDX 3 in JSON-LD (https://spdx.github.io/spdx-spec/v3.0.1), in the form that its JSON schema describes. */
import type { JsonObject } from "@bufbuild/protobuf";
import { ComponentGraph_Edge_Type as Type } from "../../../schema/gen/platform/tenant/sboms_pb.js";
import {
  invalidContent,
  type JsonNode,
  objectsAt,
  requiredTextAt,
  textAt,
  timeAt,
  valuesAt,
} from "./json_node.ts";
import {
  joinLicenses,
  type Sbom,
  type SbomEdge,
  type SbomFile,
  SbomGraph,
  type SbomPackage,
} from "./sbom.ts";
import { sourceIn } from "./spdx.ts";

/** The address of the context, and the one that it redirects to. */
const contextPattern =
  /^https?:\/\/spdx\.(?:org\/rdf\/|github\.io\/spdx-spec\/v)(3(?:\.\d+){1,2})\//;

/** The version of SPDX 3 that the `@context` of a document names. Undefined if it names none. */
export function spdx3Version({ "@context": context }: JsonObject): string | undefined {
  const versions = [context ?? []]
    .flat()
    .map((address) => contextPattern.exec(String(address))?.[1]);
  return versions.find((version) => version !== undefined);
}

/** The relationships that the graph can represent (RelationshipType). Only `generates` has the other direction. */
const relations = new Map<string, Type>([
  ["describes", Type.DESCRIBES],
  ["contains", Type.CONTAINS],
  ...["dependsOn", "hasPrerequisite", "hasOptionalDependency", "hasProvidedDependency"].map(
    (name) => [name, Type.DEPENDS_ON] as const,
  ),
  ["generates", Type.GENERATED_FROM],
]);

/** The relationships between a package and its licenses, in the order in which they count. */
const licenseRelations = ["hasConcludedLicense", "hasDeclaredLicense"];

const packageTypes = ["Package", "AIPackage", "DatasetPackage"];
const collectionTypes = ["SpdxDocument", "Sbom", "Bom", "Bundle"];
const relationshipTypes = ["Relationship", "LifecycleScopedRelationship"];

/** Values in place of an element or a license: there is none, or it is unknown. */
const noElement = /(?:^|\/|_)No(ne|Assertion)(?:Element|License)$/;

/** Reads the document. Throws INVALID_ARGUMENT for the place that is unreadable. */
export function readSpdx3(document: JsonNode, specVersion: string): Sbom {
  const elements = new Elements(document);
  const collections = elements.of(collectionTypes);
  const about =
    collections.find((collection) => typeOf(collection) === "SpdxDocument") ?? collections[0];
  const creation =
    (about && elements.at(about, "creationInfo")[0]) ?? elements.of(["CreationInfo"])[0];
  const makers = (key: string, isTool: boolean) =>
    (creation ? elements.at(creation, key) : [])
      .filter((maker) => ["Tool", "SoftwareAgent"].includes(typeOf(maker)) === isTool)
      .map((maker) => textAt(maker, "name"))
      .filter((name) => name !== "");
  const graph = readGraph(elements, about);
  return {
    format: "SPDX",
    specVersion,
    name: about ? textAt(about, "name") : "",
    description: about ? textAt(about, "comment") || textAt(about, "description") : "",
    tool: [...makers("createdUsing", true), ...makers("createdBy", true)].join(", "),
    authors: makers("createdBy", false).join(", "),
    generatedTime: creation && timeAt(creation, "created"),
    operatingSystem: graph.operatingSystem,
    nodes: graph.nodes,
    edges: graph.edges,
  };
}

/** The last word of a name, which can have a prefix or be an IRI: `software_Package`, `…/Software/Package`. */
const lastWord = (name: string) => /[A-Za-z0-9]*$/.exec(name)?.[0] ?? "";

const typeOf = (node: JsonNode) => lastWord(textAt(node, "@type") || requiredTextAt(node, "type"));

const idOrNone = (node: JsonNode) => textAt(node, "@id") || textAt(node, "spdxId");

const idOf = (node: JsonNode) => idOrNone(node) || requiredTextAt(node, "spdxId");

/** The ids in a member. An element can be written in place of its id. */
const idsAt = (node: JsonNode, key: string) =>
  valuesAt(node, key).map((value) => (typeof value === "string" ? value : idOf(value)));

/** The members that can contain a whole element. */
const partKeys = ["rootElement", "element", "from", "to"];

/** The elements of a document. */
class Elements {
  readonly #byType = new Map<string, JsonNode[]>();
  readonly #byId = new Map<string, JsonNode>();

  constructor(document: JsonNode) {
    if (document.object["@graph"] === undefined) throw invalidContent("@graph", "is required");
    for (const element of objectsAt(document, "@graph")) this.#add(element);
  }

  #add(node: JsonNode): void {
    const type = typeOf(node);
    const same = this.#byType.get(type) ?? [];
    same.push(node);
    this.#byType.set(type, same);
    const id = idOrNone(node);
    if (id !== "" && !this.#byId.has(id)) this.#byId.set(id, node);
    for (const key of partKeys) {
      for (const part of valuesAt(node, key)) if (typeof part !== "string") this.#add(part);
    }
  }

  /** The elements of some types. */
  of(types: string[]): JsonNode[] {
    return types.flatMap((type) => this.#byType.get(type) ?? []);
  }

  /** The objects that a member names or contains, apart from those of other documents. */
  at(node: JsonNode, key: string): JsonNode[] {
    return valuesAt(node, key).flatMap((value) =>
      typeof value === "string" ? (this.#byId.get(value) ?? []) : value,
    );
  }

  /** The licenses that a member names, each once. */
  licensesAt(node: JsonNode, key: string): string[] {
    const licenses = valuesAt(node, key).map((value) =>
      licenseOf(typeof value === "string" ? (this.#byId.get(value) ?? value) : value),
    );
    return [...new Set(licenses)].filter((license) => license !== "");
  }
}

/** The expression, the id or the name of a license. Empty if it is unknown. */
function licenseOf(license: JsonNode | string): string {
  const id = typeof license === "string" ? license : idOrNone(license);
  const [, none] = noElement.exec(id) ?? [];
  if (none !== undefined) return none === "ne" ? "NONE" : "";
  const said =
    typeof license === "string" ? "" : textAt(license, "simplelicensing_licenseExpression");
  if (said !== "") return said === "NOASSERTION" ? "" : said;
  const [, listed] =
    /^https?:\/\/spdx\.org\/licenses\/([\w.+-]+?)(?:\.html|\.json)?$/.exec(id) ?? [];
  return listed ?? (typeof license === "string" ? "" : textAt(license, "name"));
}

function readGraph(elements: Elements, about: JsonNode | undefined): SbomGraph {
  const graph = new SbomGraph();
  const relationships = elements.of(relationshipTypes);
  const licenses = readLicenses(elements, relationships);
  for (const element of elements.of(packageTypes)) {
    const id = idOf(element);
    const license = licenses.map((of) => of.get(id)).find((said) => said !== undefined) ?? "";
    graph.addNode({ ...readPackage(element), id, license });
    if (lastWord(String(element.object.software_primaryPurpose)) === "operatingSystem")
      graph.addOperatingSystem(
        requiredTextAt(element, "name"),
        textAt(element, "software_packageVersion"),
      );
  }
  for (const element of elements.of(["File"])) graph.addNode(readFile(element));
  for (const edge of about ? rootsOf(elements, about) : []) graph.addEdge(edge);
  for (const relationship of relationships)
    for (const edge of readRelationship(relationship)) graph.addEdge(edge);
  return graph;
}

/** The most characters in the licenses of all packages. Many packages can name one long license. */
const maxLicensesLength = 8 * 1024 * 1024;

/** The licenses by the ids of their packages, for each of {@link licenseRelations}. */
function readLicenses(elements: Elements, relationships: JsonNode[]): Map<string, string>[] {
  const licensesByKind = licenseRelations.map(() => new Map<string, string>());
  let characters = 0;
  for (const relationship of relationships) {
    const kind = licenseRelations.indexOf(
      lastWord(requiredTextAt(relationship, "relationshipType")),
    );
    if (kind < 0) continue;
    const licenses = elements.licensesAt(relationship, "to");
    characters += licenses.reduce((sum, { length }) => sum + length, 0);
    if (characters > maxLicensesLength) {
      const what = `must have at most ${maxLicensesLength} characters in the licenses of packages`;
      throw invalidContent("", what);
    }
    if (licenses.length > 0)
      licensesByKind[kind]?.set(fromOf(relationship), joinLicenses(licenses));
  }
  return licensesByKind;
}

const readPackage = (node: JsonNode): Omit<SbomPackage, "id" | "license"> => ({
  kind: "package",
  name: requiredTextAt(node, "name"),
  version: textAt(node, "software_packageVersion"),
  description: textAt(node, "description") || textAt(node, "summary"),
  purl: textAt(node, "software_packageUrl") || purlIn(node),
  source: sourceIn(node.object.software_sourceInfo),
  builtTime: timeAt(node, "builtTime"),
  supportEndTime: timeAt(node, "validUntilTime"),
});

/** Until 3.0.1, the type has the name `packageURL`. */
function purlIn(node: JsonNode): string {
  for (const identifier of valuesAt(node, "externalIdentifier")) {
    if (typeof identifier === "string") continue;
    const type = lastWord(textAt(identifier, "externalIdentifierType"));
    if (/^packageurl$/i.test(type)) return textAt(identifier, "identifier");
  }
  return "";
}

function readFile(node: JsonNode): SbomFile {
  const type = textAt(node, "contentType");
  const name = requiredTextAt(node, "name");
  return { kind: "file", id: idOf(node), name, types: type === "" ? [] : [type] };
}

/** The document describes the roots of all its collections, apart from those that are collections. */
function rootsOf(elements: Elements, about: JsonNode): SbomEdge[] {
  const collections = elements.of(collectionTypes);
  const ids = new Set(collections.map(idOf));
  return collections
    .flatMap((collection) => idsAt(collection, "rootElement"))
    .filter((id) => !ids.has(id))
    .map((object) => ({ subject: idOf(about), object, type: Type.DESCRIBES }));
}

/** The only element of a relationship that is not in `to`. */
function fromOf(node: JsonNode): string {
  const [from, ...more] = idsAt(node, "from");
  if (from === undefined || more.length > 0)
    throw invalidContent(`${node.path}.from`, "must be one element");
  return from;
}

function readRelationship(node: JsonNode): SbomEdge[] {
  const name = lastWord(requiredTextAt(node, "relationshipType"));
  if (licenseRelations.includes(name)) return [];
  const type = relations.get(name) ?? Type.UNKNOWN;
  const from = fromOf(node);
  return idsAt(node, "to").flatMap((to) => {
    if (noElement.test(from) || noElement.test(to)) return [];
    const [subject, object] = name === "generates" ? [to, from] : [from, to];
    return [{ subject, object, type }];
  });
}
