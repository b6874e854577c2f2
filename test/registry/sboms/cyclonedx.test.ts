import { describe, expect, test } from "vitest";
import { ComponentGraph_Edge_Type as Type } from "../../../schema/gen/platform/tenant/sboms_pb.js";
import { readSbom } from "../../../src/registry/sboms/read_sbom.ts";
import { cycloneDxDocument } from "./documents.ts";

const read = (value: unknown) => readSbom(new TextEncoder().encode(JSON.stringify(value)));

const minimal = (more: object = {}) => ({ bomFormat: "CycloneDX", specVersion: "1.5", ...more });

test("a document of a scanner is read completely", () => {
  const sbom = read(cycloneDxDocument());
  const babel = "pkg:npm/%40babel/core@7.26.0";
  const bash = "pkg:rpm/redhat/bash@5.1.8-9.el9";
  const gensync = "#/components/0/components/0";
  expect(sbom).toMatchObject({
    format: "CycloneDX",
    specVersion: "1.6",
    name: "registry.example/app:1",
    description: "An app",
    tool: "scanner-0.58.1, cleaner, signer-3",
    authors: "Ada (ada@example.com), Bob, Example Works",
    generatedTime: Date.parse("2026-03-01T12:00:00Z"),
  });
  expect(sbom.nodes).toEqual([
    expect.objectContaining({ id: "image", name: "registry.example/app:1", description: "An app" }),
    {
      kind: "package",
      id: babel,
      name: "@babel/core",
      version: "7.26.0",
      license: "MIT",
      description: "Compiler core",
      purl: babel,
    },
    expect.objectContaining({ id: gensync, name: "gensync", version: "1.0.0-beta.2" }),
    expect.objectContaining({ id: bash, license: "GPLv3+ AND MIT" }),
    expect.objectContaining({ id: "#/components/2", license: "MIT OR Apache-2.0" }),
    { kind: "file", id: "motd", name: "/etc/motd", types: ["text/plain"] },
  ]);
  expect(sbom.edges.map(({ subject, object, type }) => [subject, type, object])).toEqual([
    ["urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79", Type.DESCRIBES, "image"],
    [babel, Type.CONTAINS, gensync],
    ["image", Type.DEPENDS_ON, babel],
    ["image", Type.DEPENDS_ON, bash],
    [babel, Type.DEPENDS_ON, gensync],
    [bash, Type.UNKNOWN, "motd"],
  ]);
});

test("version 1.4 has a list of tools, and a document without a serial number is #", () => {
  const sbom = read(
    minimal({
      specVersion: "1.4",
      metadata: {
        tools: [{ vendor: "anyone", name: "scanner", version: "0.98.0" }, { name: "other" }],
        component: { type: "container", name: "app" },
      },
    }),
  );
  expect([sbom.specVersion, sbom.tool]).toEqual(["1.4", "scanner-0.98.0, other"]);
  expect(sbom.edges).toEqual([
    { subject: "#", object: "#/metadata/component", type: Type.DESCRIBES },
  ]);
});

test("several licenses are joined, and expressions among them stay together", () => {
  const licenses = [{ expression: "MIT OR ISC" }, { license: { id: "Zlib" } }, { license: {} }];
  const { nodes } = read(minimal({ components: [{ type: "library", name: "a", licenses }] }));
  expect(nodes).toMatchObject([{ license: "(MIT OR ISC) AND Zlib" }]);
});

test("a duplicate component is listed once, as its first entry, with the parts of both", () => {
  const app = { name: "app", "bom-ref": "x", version: "1" };
  const { nodes, edges } = read(
    minimal({
      metadata: { component: app },
      components: [
        app,
        { ...app, version: "2", components: [{ name: "part", "bom-ref": "y" }] },
        { name: "part", "bom-ref": "y" },
      ],
    }),
  );
  expect(nodes).toMatchObject([
    { id: "x", version: "1" },
    { id: "y", name: "part" },
  ]);
  expect(edges).toEqual([
    { subject: "#", object: "x", type: Type.DESCRIBES },
    { subject: "x", object: "y", type: Type.CONTAINS },
  ]);
});

test("circular dependencies are kept", () => {
  const dependencies = [
    { ref: "a", dependsOn: ["b", "a", "b"] },
    { ref: "b", dependsOn: ["a"] },
  ];
  expect(read(minimal({ dependencies })).edges).toHaveLength(3);
});

test.each(["1.2", "1.3", "1.4", "1.5", "1.6", "1.7"])("version %s is accepted", (specVersion) => {
  expect(read(minimal({ specVersion })).specVersion).toBe(specVersion);
});

const nested = (depth: number): object =>
  depth === 0
    ? { type: "library", name: "deep" }
    : { type: "library", name: "deep", components: [nested(depth - 1)] };

test("components can be nested at most 64 deep", () => {
  expect(read(minimal({ components: [nested(64)] })).nodes).toHaveLength(65);
  expect(() => read(minimal({ components: [nested(65)] }))).toThrow(
    /is nested more than 64 components deep/,
  );
});

describe("an error names the position of a fault:", () => {
  const component = (more: object) => minimal({ components: [{ type: "library", ...more }] });
  test.each([
    [minimal({ specVersion: "1.1" }), /specVersion must be 1\.2 or later; it is "1\.1"/],
    [minimal({ specVersion: 1.5 }), /specVersion must be a string/],
    [minimal({ specVersion: undefined }), /specVersion must be 1\.2 or later; it is ""/],
    [minimal({ metadata: 1 }), /metadata must be a JSON object/],
    [minimal({ metadata: { timestamp: "x" } }), /metadata\.timestamp must be a time/],
    [
      minimal({ metadata: { tools: { components: {} } } }),
      /metadata\.tools\.components must be a list/,
    ],
    [minimal({ metadata: { component: {} } }), /metadata\.component\.name is required/],
    [minimal({ components: {} }), /components must be a list/],
    [component({}), /components\[0\]\.name is required/],
    [component({ name: 1 }), /components\[0\]\.name must be a string/],
    [
      component({ name: "a", licenses: [1] }),
      /components\[0\]\.licenses\[0\] must be a JSON object/,
    ],
    [
      component({ name: "a", components: [{}] }),
      /components\[0\]\.components\[0\]\.name is required/,
    ],
    [minimal({ dependencies: [{}] }), /dependencies\[0\]\.ref is required/],
    [
      minimal({ dependencies: [{ ref: "a", dependsOn: [1] }] }),
      /dependencies\[0\]\.dependsOn\[0\] must be a string/,
    ],
  ])("%.60j", (document, message) => {
    expect(() => read(document)).toThrow(message);
  });
});
