import { describe, expect, test } from "vitest";
import { ComponentGraph_Edge_Type as Type } from "../../../schema/gen/platform/tenant/sboms_pb.js";
import { readSbom } from "../../../src/registry/sboms/read_sbom.ts";
import { spdxDocument } from "./documents.ts";

const read = (value: unknown) =>
  readSbom(new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)));

const minimal = (more: object = {}) => ({ spdxVersion: "SPDX-2.3", ...more });

const relate = (relationshipType: string, a = "SPDXRef-a", b = "SPDXRef-b") => ({
  spdxElementId: a,
  relatedSpdxElement: b,
  relationshipType,
});

test("a document of a scanner is read completely", () => {
  const sbom = read(spdxDocument());
  const image = "SPDXRef-DocumentRoot-Image-python";
  const of = (name: string) => `SPDXRef-Package-apk-${name}`;
  expect(sbom).toMatchObject({
    format: "SPDX",
    specVersion: "2.3",
    name: "registry.example/python",
    description: "Scanned after the build",
    tool: "scanner-1.14.0, merger-2",
    authors: "Scanner, Inc, Ada L. (ada@example.com)",
    generatedTime: Date.parse("2026-03-01T12:00:00Z"),
  });
  expect(sbom.nodes).toEqual([
    {
      kind: "package",
      id: of("libcrypto3"),
      name: "libcrypto3",
      version: "3.3.2-r1",
      license: "Apache-2.0",
      description: "The package libcrypto3",
      purl: "pkg:apk/alpine/libcrypto3@3.3.2-r1?arch=x86_64&distro=alpine-3.20.3&upstream=openssl",
      builtTime: Date.parse("2026-01-02T03:04:05Z"),
      supportEndTime: Date.parse("2027-01-01T00:00:00Z"),
    },
    expect.objectContaining({ name: "musl", license: "MIT OR BSD-2-Clause" }),
    expect.objectContaining({
      name: "busybox-binsh",
      license: "",
      description: "busybox ash /bin/sh",
    }),
    expect.objectContaining({ id: image, version: "sha256:0d7e", license: "" }),
    {
      kind: "file",
      id: "SPDXRef-File-lib-libcrypto.so.3",
      name: "lib/libcrypto.so.3",
      types: ["BINARY"],
    },
    { kind: "file", id: "SPDXRef-File-etc-motd", name: "etc/motd", types: ["TEXT", "OTHER"] },
  ]);
  expect(sbom.edges.map(({ subject, object, type }) => [subject, type, object])).toEqual([
    ["SPDXRef-DOCUMENT", Type.DESCRIBES, image],
    [image, Type.CONTAINS, of("musl")],
    [image, Type.CONTAINS, of("libcrypto3")],
    [image, Type.CONTAINS, of("busybox-binsh")],
    [of("libcrypto3"), Type.DEPENDS_ON, of("musl")],
    [of("libcrypto3"), Type.CONTAINS, "SPDXRef-File-lib-libcrypto.so.3"],
    [of("musl"), Type.UNKNOWN, "SPDXRef-File-etc-motd"],
    [of("libcrypto3"), Type.GENERATED_FROM, "DocumentRef-src:SPDXRef-Source"],
  ]);
});

describe("a relationship", () => {
  test.each([
    ["DESCRIBES", Type.DESCRIBES, false],
    ["DESCRIBED_BY", Type.DESCRIBES, true],
    ["CONTAINS", Type.CONTAINS, false],
    ["CONTAINED_BY", Type.CONTAINS, true],
    ["DEPENDS_ON", Type.DEPENDS_ON, false],
    ["DEPENDENCY_OF", Type.DEPENDS_ON, true],
    ["BUILD_DEPENDENCY_OF", Type.DEPENDS_ON, true],
    ["DEV_DEPENDENCY_OF", Type.DEPENDS_ON, true],
    ["TEST_DEPENDENCY_OF", Type.DEPENDS_ON, true],
    ["OPTIONAL_DEPENDENCY_OF", Type.DEPENDS_ON, true],
    ["PROVIDED_DEPENDENCY_OF", Type.DEPENDS_ON, true],
    ["RUNTIME_DEPENDENCY_OF", Type.DEPENDS_ON, true],
    ["HAS_PREREQUISITE", Type.DEPENDS_ON, false],
    ["PREREQUISITE_FOR", Type.DEPENDS_ON, true],
    ["GENERATED_FROM", Type.GENERATED_FROM, false],
    ["GENERATES", Type.GENERATED_FROM, true],
    ["VARIANT_OF", Type.UNKNOWN, false],
    ["DEPENDENCY_MANIFEST_OF", Type.UNKNOWN, false],
    ["constructor", Type.UNKNOWN, false],
  ])("the relationship %s has type %i, reversed: %s", (name, type, isReversed) => {
    const [a, b] = ["SPDXRef-a", "SPDXRef-b"];
    const edge = isReversed ? { subject: b, object: a } : { subject: a, object: b };
    expect(read(minimal({ relationships: [relate(name)] })).edges).toEqual([{ ...edge, type }]);
  });

  test.each(["NONE", "NOASSERTION"])("to %s is left out", (element) => {
    const relationships = [relate("CONTAINS", "SPDXRef-a", element)];
    expect(read(minimal({ relationships })).edges).toEqual([]);
  });

  test("a relationship is listed once, even if an older field repeats it", () => {
    const { edges } = read(
      minimal({
        SPDXID: "SPDXRef-DOCUMENT",
        documentDescribes: ["SPDXRef-a"],
        packages: [{ SPDXID: "SPDXRef-a", name: "a", hasFiles: ["SPDXRef-f", "SPDXRef-g"] }],
        relationships: [
          relate("DESCRIBES", "SPDXRef-DOCUMENT", "SPDXRef-a"),
          relate("CONTAINED_BY", "SPDXRef-f", "SPDXRef-a"),
          relate("CONTAINS", "SPDXRef-a", "SPDXRef-f"),
        ],
      }),
    );
    expect(edges.map(({ subject, object }) => [subject, object])).toEqual([
      ["SPDXRef-DOCUMENT", "SPDXRef-a"],
      ["SPDXRef-a", "SPDXRef-f"],
      ["SPDXRef-a", "SPDXRef-g"],
    ]);
  });
});

test("circular dependencies and elements that depend on themselves are kept", () => {
  const relationships = [
    relate("DEPENDS_ON", "SPDXRef-a", "SPDXRef-b"),
    relate("DEPENDS_ON", "SPDXRef-b", "SPDXRef-a"),
    relate("DEPENDS_ON", "SPDXRef-a", "SPDXRef-a"),
  ];
  expect(read(minimal({ relationships })).edges).toHaveLength(3);
});

test.each(["SPDX-2.2", "SPDX-2.3"])("%s is accepted, and null counts as absent", (spdxVersion) => {
  const packages = [{ SPDXID: "SPDXRef-a", name: "a", versionInfo: null, externalRefs: null }];
  const sbom = read({ spdxVersion, packages, files: null, creationInfo: null });
  expect(sbom).toMatchObject({ specVersion: spdxVersion.slice(5), generatedTime: undefined });
  expect(sbom.nodes).toMatchObject([{ version: "", purl: "" }]);
});

test("a duplicate element is listed once, as its first entry, with the relationships of both", () => {
  const a = { SPDXID: "SPDXRef-a", name: "a", versionInfo: "1" };
  const { nodes, edges } = read(
    minimal({
      packages: [
        a,
        a,
        { SPDXID: "SPDXRef-b", name: "b" },
        { ...a, versionInfo: "2", hasFiles: ["f"] },
      ],
      files: [
        { SPDXID: "f", fileName: "/f" },
        { SPDXID: "f", fileName: "/f" },
      ],
    }),
  );
  expect(nodes).toMatchObject([
    { id: "SPDXRef-a", version: "1" },
    { id: "SPDXRef-b" },
    { id: "f", name: "/f" },
  ]);
  expect(edges).toEqual([{ subject: "SPDXRef-a", object: "f", type: Type.CONTAINS }]);
});

test.each([
  ["purl", true],
  ["http://spdx.org/rdf/references/purl", true],
  ["https://spdx.org/rdf/references/purl", true],
  ["http://spdx.org/rdf/references/cpe23Type", false],
  ["http://spdx.org/rdf/references/notpurl", false],
])("a reference of the type %s is the package URL: %s", (referenceType, isPurl) => {
  const externalRefs = [{ referenceType, referenceLocator: "pkg:apk/a@1" }];
  const { nodes } = read(minimal({ packages: [{ SPDXID: "a", name: "a", externalRefs }] }));
  expect(nodes).toMatchObject([{ purl: isPurl ? "pkg:apk/a@1" : "" }]);
});

test("a byte order mark is skipped", () => {
  expect(read(`\ufeff${JSON.stringify(minimal({ name: "marked" }))}`).name).toBe("marked");
});

describe("an error names the position of a fault:", () => {
  const packages = (...more: unknown[]) =>
    minimal({ packages: [{ SPDXID: "a", name: "a" }, ...more] });
  test.each([
    ["", /content is not JSON/],
    ['{"spdxVersion"', /content is not JSON: .*/],
    ["[]", /content: the document must be a JSON object/],
    ["null", /content: the document must be a JSON object/],
    ["[".repeat(250_000), /content is not JSON/],
    [`${"[".repeat(250_000)}${"]".repeat(250_000)}`, /content is nested more than 200 levels deep/],
    [
      {},
      /must be SPDX \(with spdxVersion, or the @context of SPDX 3\) or CycloneDX \(with bomFormat\)/,
    ],
    [{ predicateType: "https://spdx.dev/Document" }, /in-toto statement; send only its predicate/],
    [{ payloadType: "application/vnd.in-toto+json" }, /signed envelope/],
    [{ spdxVersion: "SPDX-3.0" }, /spdxVersion must be a version of SPDX 2; it is "SPDX-3.0"/],
    [{ spdxVersion: 2.3 }, /spdxVersion must be a string/],
    [minimal({ name: 7 }), /content: name must be a string/],
    [minimal({ creationInfo: [] }), /creationInfo must be a JSON object/],
    [minimal({ creationInfo: { creators: "me" } }), /creationInfo\.creators must be a list/],
    [minimal({ creationInfo: { creators: [1] } }), /creationInfo\.creators\[0\] must be a string/],
    [minimal({ creationInfo: { created: "yesterday" } }), /creationInfo\.created must be a time/],
    [minimal({ creationInfo: { created: "2026-02-30T25:00:00Z" } }), /created must be a time/],
    [minimal({ creationInfo: { created: "0000-01-01T00:00:00Z" } }), /created must be a time/],
    [minimal({ packages: {} }), /packages must be a list/],
    [packages("x"), /packages\[1\] must be a JSON object/],
    [packages({ name: "b" }), /packages\[1\]\.SPDXID is required/],
    [packages({ SPDXID: "b" }), /packages\[1\]\.name is required/],
    [
      packages({ SPDXID: "b", name: "b", versionInfo: 1 }),
      /packages\[1\]\.versionInfo must be a string/,
    ],
    [
      packages({
        SPDXID: "b",
        name: "b",
        externalRefs: [{ referenceType: "purl", referenceLocator: 1 }],
      }),
      /packages\[1\]\.externalRefs\[0\]\.referenceLocator must be a string/,
    ],
    [
      packages({ SPDXID: "b", name: "b", builtDate: "x" }),
      /packages\[1\]\.builtDate must be a time/,
    ],
    [minimal({ files: [{ SPDXID: "f" }] }), /files\[0\]\.fileName is required/],
    [
      minimal({ relationships: [{ spdxElementId: "a" }] }),
      /relationships\[0\]\.relatedSpdxElement is required/,
    ],
  ])("%.60j", (document, message) => {
    expect(() => read(document)).toThrow(message);
  });

  test("bytes that are not UTF-8 are rejected", () => {
    expect(() => readSbom(new Uint8Array([0x7b, 0xff, 0x7d]))).toThrow(/content is not UTF-8/);
  });
});
