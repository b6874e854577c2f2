import { describe, expect, test } from "vitest";
import { ComponentGraph_Edge_Type as Type } from "../../../schema/gen/platform/tenant/sboms_pb.js";
import { readSbom } from "../../../src/registry/sboms/read_sbom.ts";
import { spdx3Document } from "./documents.ts";

const read = (value: unknown) => readSbom(new TextEncoder().encode(JSON.stringify(value)));

const context = "https://spdx.org/rdf/3.0.1/spdx-context.jsonld";
const graph = (...elements: unknown[]) => ({ "@context": context, "@graph": elements });
const packageOf = (id: string, more: object = {}) => ({
  type: "software_Package",
  spdxId: id,
  name: id,
  ...more,
});
const relate = (relationshipType: string, from: unknown, to: unknown) => ({
  type: "Relationship",
  spdxId: `${relationshipType}-1`,
  ...{ relationshipType, from, to },
});

test("a document of a scanner is read completely", () => {
  const sbom = read(spdx3Document());
  const id = (name: string) => `https://scanner.example/spdx/python-0d7e#${name}`;
  expect(sbom).toMatchObject({
    format: "SPDX",
    specVersion: "3.0.1",
    name: "registry.example/python",
    description: "Scanned after the build",
    tool: "scanner-1.46.0",
    authors: "Scanner, Inc, Ada L.",
    generatedTime: Date.parse("2026-03-01T12:00:00Z"),
  });
  expect(sbom.nodes).toEqual([
    expect.objectContaining({
      id: id("image"),
      version: "sha256:0d7e",
      purl: "pkg:oci/python@sha256%3A0d7e?arch=amd64",
      license: "",
    }),
    {
      kind: "package",
      id: id("libcrypto3"),
      name: "libcrypto3",
      version: "3.3.2-r1",
      license: "Apache-2.0",
      description: "The package libcrypto3",
      purl: "pkg:apk/alpine/libcrypto3@3.3.2-r1?arch=x86_64",
      builtTime: Date.parse("2026-01-02T03:04:05Z"),
      supportEndTime: Date.parse("2027-01-01T00:00:00Z"),
    },
    expect.objectContaining({ name: "musl", license: "MIT", description: "the C library" }),
    { kind: "file", id: id("motd"), name: "/etc/motd", types: ["text/plain"] },
  ]);
  expect(sbom.edges.map(({ subject, object, type }) => [subject, type, object])).toEqual([
    [id("Document"), Type.DESCRIBES, id("image")],
    [id("image"), Type.CONTAINS, id("libcrypto3")],
    [id("image"), Type.CONTAINS, id("musl")],
    [id("libcrypto3"), Type.DEPENDS_ON, id("musl")],
    [id("motd"), Type.GENERATED_FROM, id("musl")],
    [id("musl"), Type.UNKNOWN, id("motd")],
  ]);
});

test.each([
  ["with a prefix", { type: "software_Package", spdxId: "a" }],
  ["with the keywords of JSON-LD", { "@type": "software_Package", "@id": "a" }],
  ["as an IRI", { "@type": "https://spdx.org/rdf/3.0.1/terms/Software/Package", "@id": "a" }],
  ["of an AI package", { type: "ai_AIPackage", spdxId: "a" }],
])("a package is read with its type %s", (_, type) => {
  const one = { name: "a", software_packageVersion: "1", software_packageUrl: "pkg:npm/a@1" };
  expect(read(graph({ ...type, ...one })).nodes).toMatchObject([
    { kind: "package", id: "a", name: "a", version: "1", purl: "pkg:npm/a@1" },
  ]);
});

test.each([
  ["packageUrl", "pkg:npm/a@1"],
  ["packageURL", "pkg:npm/a@1"],
  ["https://spdx.org/rdf/3.0.1/terms/Core/ExternalIdentifierType/packageUrl", "pkg:npm/a@1"],
  ["purl", ""],
  ["cpe23", ""],
])("an external identifier of the type %s gives the package URL %j", (type, purl) => {
  const identifier = { externalIdentifierType: type, identifier: "pkg:npm/a@1" };
  for (const externalIdentifier of [[identifier], identifier, ["_:elsewhere", identifier]]) {
    const { nodes } = read(graph(packageOf("a", { externalIdentifier })));
    expect(nodes).toMatchObject([{ purl }]);
  }
});

test.each([
  [context, "3.0.1"],
  ["https://spdx.org/rdf/3.0.0/spdx-context.jsonld", "3.0.0"],
  ["https://spdx.github.io/spdx-spec/v3.0.1/rdf/spdx-context.jsonld", "3.0.1"],
  [[context, { ex: "https://example.com/" }], "3.0.1"],
])("the context %j is that of SPDX %s", (given, version) => {
  expect(read({ "@context": given, "@graph": [] }).specVersion).toBe(version);
});

describe("the license of a package", () => {
  const expression = (id: string, text: string) => ({
    type: "simplelicensing_LicenseExpression",
    spdxId: id,
    simplelicensing_licenseExpression: text,
  });
  const mit = expression("mit", "MIT");
  const either = expression("either", "GPL-2.0-only OR BSD-3-Clause");
  const none = "expandedlicensing_NoneLicense";
  const unknown = "https://spdx.org/rdf/3.0.1/terms/ExpandedLicensing/NoAssertionLicense";
  test.each([
    ["is the concluded one", { hasDeclaredLicense: "mit", hasConcludedLicense: "either" }, either],
    ["is the declared one otherwise", { hasDeclaredLicense: "mit" }, mit],
    ["is not the unknown one", { hasConcludedLicense: unknown, hasDeclaredLicense: "mit" }, mit],
    ["can be none", { hasConcludedLicense: none }, expression("", "NONE")],
    [
      "has all of several licenses",
      { hasDeclaredLicense: ["mit", unknown, "either"] },
      expression("", "MIT AND (GPL-2.0-only OR BSD-3-Clause)"),
    ],
    ["can be written in place of its id", { hasDeclaredLicense: [mit] }, mit],
    [
      "can be one of the list of SPDX",
      { hasDeclaredLicense: "https://spdx.org/licenses/Apache-2.0.html" },
      expression("", "Apache-2.0"),
    ],
    ["can be one by name", { hasDeclaredLicense: "own" }, expression("", "Our license")],
    ["is unknown in another document", { hasDeclaredLicense: "elsewhere" }, expression("", "")],
  ])("%s", (_, named, { simplelicensing_licenseExpression: license }) => {
    const own = { type: "expandedlicensing_CustomLicense", spdxId: "own", name: "Our license" };
    const relations = Object.entries(named).map(([name, to]) => relate(name, "a", to));
    const { nodes, edges } = read(graph(packageOf("a"), mit, either, own, ...relations));
    expect(nodes).toMatchObject([{ license }]);
    expect(edges).toEqual([]);
  });
});

test.each([
  ["describes", Type.DESCRIBES, false],
  ["contains", Type.CONTAINS, false],
  ["dependsOn", Type.DEPENDS_ON, false],
  ["hasPrerequisite", Type.DEPENDS_ON, false],
  ["hasOptionalDependency", Type.DEPENDS_ON, false],
  ["hasProvidedDependency", Type.DEPENDS_ON, false],
  ["generates", Type.GENERATED_FROM, true],
  ["hasDynamicLink", Type.UNKNOWN, false],
  ["constructor", Type.UNKNOWN, false],
])("the relationship %s has type %i, reversed: %s", (name, type, isReversed) => {
  const edge = isReversed ? { subject: "b", object: "a" } : { subject: "a", object: "b" };
  expect(read(graph(relate(name, "a", ["b"]))).edges).toEqual([{ ...edge, type }]);
});

test("an element that is written in place of its id is read, and so are those in it", () => {
  const inner = relate("contains", packageOf("a"), [packageOf("b"), packageOf("a")]);
  const document = { type: "SpdxDocument", spdxId: "d", rootElement: packageOf("r") };
  const { nodes, edges } = read(graph(document, inner));
  expect(nodes.map(({ id }) => id).sort()).toEqual(["a", "b", "r"]);
  expect(edges.map(({ subject, object }) => [subject, object])).toEqual([
    ["d", "r"],
    ["a", "b"],
    ["a", "a"],
  ]);
});

test.each([
  [{ "@context": context }, /content: @graph is required/],
  [{ "@context": context, "@graph": {} }, /@graph must be a list/],
  [graph("x"), /@graph\[0\] must be a JSON object/],
  [graph({ spdxId: "a" }), /@graph\[0\]\.type is required/],
  [graph({ type: "software_Package", name: "a" }), /@graph\[0\]\.spdxId is required/],
  [graph({ type: "software_Package", spdxId: "a" }), /@graph\[0\]\.name is required/],
  [
    graph(packageOf("a"), packageOf("b", { software_packageVersion: 1 })),
    /\[1\]\.software_packageV/,
  ],
  [graph(packageOf("a", { builtTime: "x" })), /@graph\[0\]\.builtTime must be a time/],
  [
    graph(packageOf("a", { externalIdentifier: [{ identifier: 1 }, 7] })),
    /@graph\[0\]\.externalIdentifier\[1\] must be a string or a JSON object/,
  ],
  [graph({ type: "software_File", spdxId: "f" }), /@graph\[0\]\.name is required/],
  [graph({ type: "Relationship", from: "a" }), /@graph\[0\]\.relationshipType is required/],
  [graph(relate("contains", ["a", "b"], ["c"])), /@graph\[0\]\.from must be one element/],
  [graph(relate("contains", [], ["c"])), /@graph\[0\]\.from must be one element/],
  [graph(relate("contains", "a", [{ spdxId: "b" }])), /@graph\[0\]\.to\[0\]\.type is required/],
])("an error names the position of a fault: %.60j", (document, message) => {
  expect(() => read(document)).toThrow(message);
});
