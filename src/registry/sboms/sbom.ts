import type { ComponentGraph_Edge_Type } from "../../../schema/gen/platform/tenant/sboms_pb.js";
import type { SourcePackage } from "../../packages/match_columns.ts";
import type { OperatingSystem } from "../../packages/releases.ts";
import { invalidContent } from "./json_node.ts";

/** A package, or another thing that is not a single file. Empty texts are not returned. */
export interface SbomPackage {
  kind: "package";
  id: string;
  name: string;
  version: string;
  license: string;
  description: string;
  purl: string;
  /** The package that it was built from, if the document names it apart from the package URL. */
  source?: SourcePackage | undefined;
  /** Milliseconds since 1970 in UTC. */
  builtTime?: number | undefined;
  supportEndTime?: number | undefined;
}

/** A single file. */
export interface SbomFile {
  kind: "file";
  id: string;
  name: string;
  types: string[];
}

/** `subject` and `object` are ids. */
export interface SbomEdge {
  subject: string;
  object: string;
  type: ComponentGraph_Edge_Type;
}

/** The contents of an SBOM in either format. Empty texts are not returned. */
export interface Sbom {
  format: "SPDX" | "CycloneDX";
  /** The version of the format: `2.3`. */
  specVersion: string;
  name: string;
  description: string;
  /** Separated by commas. */
  tool: string;
  authors: string;
  /** Milliseconds since 1970 in UTC. */
  generatedTime: number | undefined;
  /** The operating system of the image. Undefined if the document names none, or several. */
  operatingSystem: OperatingSystem | undefined;
  nodes: (SbomPackage | SbomFile)[];
  edges: SbomEdge[];
}

/** One expression for all licenses of a package. Empty if there are none. */
export function joinLicenses(licenses: string[]): string {
  const [only] = licenses;
  if (only === undefined || licenses.length === 1) return only ?? "";
  return licenses
    .map((license) => (/ (AND|OR) /i.test(license) ? `(${license})` : license))
    .join(" AND ");
}

/** The most nodes and edges of a graph together, and the most characters of their ids. */
const maxParts = 50_000;
const maxIdsLength = 8 * 1024 * 1024;

/**
 * The nodes and edges of a document. They are collected while it is read, so that reading can stop in time.
 */
export class SbomGraph {
  readonly #nodes = new Map<string, SbomPackage | SbomFile>();
  readonly edges: SbomEdge[] = [];
  /** The types by subject and object. One key of both texts would be as long as they are, for every edge. */
  readonly #types = new Map<string, Map<string, Set<number>>>();
  readonly #operatingSystems = new Map<string, OperatingSystem>();
  #parts = 0;
  #ids = 0;

  /** Adds a node unless its id exists: scanners write the same component twice. */
  addNode(node: SbomPackage | SbomFile): void {
    if (this.#nodes.has(node.id)) return;
    this.#count(node.id.length);
    this.#nodes.set(node.id, node);
  }

  /** Adds a relation unless it exists. */
  addEdge(edge: SbomEdge): void {
    const { subject, object, type } = edge;
    const ofSubject = this.#types.get(subject) ?? new Map<string, Set<number>>();
    const types = ofSubject.get(object) ?? new Set<number>();
    if (types.has(type)) return;
    this.#count(subject.length + object.length);
    this.edges.push(edge);
    this.#types.set(subject, ofSubject.set(object, types.add(type)));
  }

  /** Adds an operating system that the document describes. */
  addOperatingSystem(name: string, version: string): void {
    if (this.#operatingSystems.size < 2)
      this.#operatingSystems.set(`${name}\n${version}`, { name, version });
  }

  get operatingSystem(): OperatingSystem | undefined {
    const [only, ...others] = this.#operatingSystems.values();
    return others.length === 0 ? only : undefined;
  }

  get nodes(): Sbom["nodes"] {
    return [...this.#nodes.values()];
  }

  #count(characters: number): void {
    this.#parts += 1;
    this.#ids += characters;
    const what = "components and relations between them";
    if (this.#parts > maxParts) throw invalidContent("", `must have at most ${maxParts} ${what}`);
    if (this.#ids > maxIdsLength) {
      throw invalidContent(
        "",
        `must have at most ${maxIdsLength} characters in the ids of ${what}`,
      );
    }
  }
}
