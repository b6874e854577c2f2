/** SBOMs in the form that scanners write, invented for these tests. */

const file = (name: string, fileTypes: string[]) => ({
  SPDXID: `SPDXRef-File-${name.replaceAll("/", "-")}`,
  fileName: name,
  fileTypes,
  checksums: [{ algorithm: "SHA1", checksumValue: "0".repeat(40) }],
  licenseConcluded: "NOASSERTION",
  copyrightText: "NOASSERTION",
});

const apk = (name: string, version: string, upstream: string, more: object = {}) => ({
  SPDXID: `SPDXRef-Package-apk-${name}`,
  name,
  versionInfo: version,
  supplier: "Person: A Maintainer (a@alpine.example)",
  downloadLocation: "https://alpine.example",
  filesAnalyzed: false,
  licenseConcluded: "NOASSERTION",
  licenseDeclared: "MIT",
  copyrightText: "NOASSERTION",
  description: `The package ${name}`,
  externalRefs: [
    {
      referenceCategory: "SECURITY",
      referenceType: "cpe23Type",
      referenceLocator: `cpe:2.3:a:${name}:${name}:${version}:*:*:*:*:*:*:*`,
    },
    {
      referenceCategory: "PACKAGE-MANAGER",
      referenceType: "purl",
      referenceLocator: `pkg:apk/alpine/${name}@${version}?arch=x86_64&distro=alpine-3.20.3${upstream}`,
    },
  ],
  ...more,
});

const relate = (spdxElementId: string, relationshipType: string, relatedSpdxElement: string) => ({
  spdxElementId,
  relatedSpdxElement,
  relationshipType,
});

const image = "SPDXRef-DocumentRoot-Image-python";

/** An SPDX 2.3 document of an image, as a file system scanner writes it. */
export const spdxDocument = () => ({
  spdxVersion: "SPDX-2.3",
  dataLicense: "CC0-1.0",
  SPDXID: "SPDXRef-DOCUMENT",
  name: "registry.example/python",
  comment: "Scanned after the build",
  documentNamespace: "https://scanner.example/image/python-0d7e",
  creationInfo: {
    licenseListVersion: "3.25",
    creators: [
      "Organization: Scanner, Inc",
      "Tool: scanner-1.14.0",
      "Person: Ada L. (ada@example.com)",
      "Tool: merger-2",
    ],
    created: "2026-03-01T12:00:00Z",
  },
  packages: [
    apk("libcrypto3", "3.3.2-r1", "&upstream=openssl", {
      licenseDeclared: "Apache-2.0",
      builtDate: "2026-01-02T03:04:05Z",
      validUntilDate: "2027-01-01T00:00:00Z",
    }),
    apk("musl", "1.2.5-r0", "", { licenseConcluded: "MIT OR BSD-2-Clause" }),
    apk("busybox-binsh", "1.36.1-r29", "&upstream=busybox@1.36.1-r28", {
      licenseDeclared: "NOASSERTION",
      description: undefined,
      summary: "busybox ash /bin/sh",
    }),
    {
      SPDXID: image,
      name: "registry.example/python",
      versionInfo: "sha256:0d7e",
      downloadLocation: "NOASSERTION",
      primaryPackagePurpose: "CONTAINER",
      externalRefs: [
        {
          referenceCategory: "PACKAGE-MANAGER",
          referenceType: "purl",
          referenceLocator: "pkg:oci/python@sha256%3A0d7e?arch=amd64",
        },
      ],
    },
  ],
  files: [file("lib/libcrypto.so.3", ["BINARY"]), file("etc/motd", ["TEXT", "OTHER"])],
  relationships: [
    relate("SPDXRef-DOCUMENT", "DESCRIBES", image),
    relate(image, "CONTAINS", "SPDXRef-Package-apk-musl"),
    relate(image, "CONTAINS", "SPDXRef-Package-apk-libcrypto3"),
    relate("SPDXRef-Package-apk-busybox-binsh", "CONTAINED_BY", image),
    relate("SPDXRef-Package-apk-musl", "DEPENDENCY_OF", "SPDXRef-Package-apk-libcrypto3"),
    relate("SPDXRef-Package-apk-libcrypto3", "CONTAINS", "SPDXRef-File-lib-libcrypto.so.3"),
    relate("SPDXRef-Package-apk-musl", "OTHER", "SPDXRef-File-etc-motd"),
    relate("SPDXRef-Package-apk-libcrypto3", "GENERATED_FROM", "DocumentRef-src:SPDXRef-Source"),
    relate("SPDXRef-Package-apk-musl", "DEPENDS_ON", "NONE"),
  ],
});

const spdx3 = "https://scanner.example/spdx/python-0d7e";

const element = (type: string, id: string, more: object) => ({
  type,
  spdxId: `${spdx3}#${id}`,
  creationInfo: "_:creationInfo",
  ...more,
});

const relate3 = (from: string, relationshipType: string, ...to: string[]) =>
  element("Relationship", `Relationship-${from}-${relationshipType}-${to[0]}`, {
    from: `${spdx3}#${from}`,
    relationshipType,
    to: to.map((id) => (/[/_]/.test(id) ? id : `${spdx3}#${id}`)),
    completeness: "complete",
  });

const apk3 = (name: string, version: string, more: object = {}) =>
  element("software_Package", name, {
    name,
    software_packageVersion: version,
    software_packageUrl: `pkg:apk/alpine/${name}@${version}?arch=x86_64`,
    software_primaryPurpose: "install",
    externalIdentifier: [
      {
        type: "ExternalIdentifier",
        externalIdentifierType: "cpe23",
        identifier: `cpe:2.3:a:${name}:${name}:${version}:*:*:*:*:*:*:*`,
      },
    ],
    ...more,
  });

/** An SPDX 3.0.1 document of an image: a graph of elements, with licenses as elements too. */
export const spdx3Document = () => ({
  "@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld",
  "@graph": [
    {
      "@id": "_:creationInfo",
      type: "CreationInfo",
      specVersion: "3.0.1",
      created: "2026-03-01T12:00:00Z",
      createdBy: [`${spdx3}#Scanner`, `${spdx3}#Ada`, "https://elsewhere.example/agent"],
      createdUsing: [`${spdx3}#Tool`],
    },
    element("Organization", "Scanner", { name: "Scanner, Inc" }),
    element("Person", "Ada", { name: "Ada L." }),
    element("Tool", "Tool", { name: "scanner-1.46.0" }),
    element("SpdxDocument", "Document", {
      name: "registry.example/python",
      comment: "Scanned after the build",
      profileConformance: ["core", "software", "simpleLicensing"],
      rootElement: [`${spdx3}#Sbom`],
    }),
    element("software_Sbom", "Sbom", {
      software_sbomType: ["analyzed"],
      rootElement: [`${spdx3}#image`],
      element: [`${spdx3}#image`, `${spdx3}#libcrypto3`, `${spdx3}#musl`],
    }),
    element("software_Package", "image", {
      name: "registry.example/python",
      software_packageVersion: "sha256:0d7e",
      software_primaryPurpose: "container",
      externalIdentifier: [
        {
          type: "ExternalIdentifier",
          externalIdentifierType: "packageUrl",
          identifier: "pkg:oci/python@sha256%3A0d7e?arch=amd64",
        },
      ],
    }),
    apk3("libcrypto3", "3.3.2-r1", {
      description: "The package libcrypto3",
      builtTime: "2026-01-02T03:04:05Z",
      validUntilTime: "2027-01-01T00:00:00Z",
    }),
    apk3("musl", "1.2.5-r0", { summary: "the C library" }),
    element("software_File", "motd", { name: "/etc/motd", contentType: "text/plain" }),
    element("simplelicensing_LicenseExpression", "license", {
      simplelicensing_licenseExpression: "Apache-2.0",
    }),
    relate3("image", "contains", "libcrypto3", "musl"),
    relate3("libcrypto3", "dependsOn", "musl"),
    relate3("musl", "generates", "motd"),
    relate3("musl", "hasDocumentation", "motd"),
    relate3("musl", "dependsOn", "https://spdx.org/rdf/3.0.1/terms/Core/NoneElement"),
    relate3("libcrypto3", "hasDeclaredLicense", "license"),
    relate3("musl", "hasConcludedLicense", "expandedlicensing_NoAssertionLicense"),
    relate3("musl", "hasDeclaredLicense", "https://spdx.org/licenses/MIT"),
  ],
});

/** A CycloneDX 1.6 document of an image, with nested components, and with tools as components. */
export const cycloneDxDocument = () => ({
  $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  serialNumber: "urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79",
  version: 1,
  metadata: {
    timestamp: "2026-03-01T13:00:00+01:00",
    tools: {
      components: [
        { type: "application", group: "scanner", name: "scanner", version: "0.58.1" },
        { type: "application", name: "cleaner" },
      ],
      services: [{ name: "signer", version: "3" }],
    },
    authors: [{ name: "Ada", email: "ada@example.com" }, { name: "Bob" }],
    manufacturer: { name: "Example Works" },
    component: {
      "bom-ref": "image",
      type: "container",
      name: "registry.example/app:1",
      description: "An app",
      purl: "pkg:oci/app@sha256%3Aabcd?arch=amd64",
    },
  },
  components: [
    {
      "bom-ref": "pkg:npm/%40babel/core@7.26.0",
      type: "library",
      group: "@babel",
      name: "core",
      version: "7.26.0",
      description: "Compiler core",
      licenses: [{ license: { id: "MIT" } }],
      purl: "pkg:npm/%40babel/core@7.26.0",
      components: [{ type: "library", name: "gensync", version: "1.0.0-beta.2" }],
    },
    {
      "bom-ref": "pkg:rpm/redhat/bash@5.1.8-9.el9",
      type: "library",
      name: "bash",
      version: "5.1.8-9.el9",
      licenses: [{ license: { name: "GPLv3+" } }, { license: { id: "MIT" } }],
      purl: "pkg:rpm/redhat/bash-doc@5.1.8-9.el9?arch=x86_64&upstream=bash-5.1.8-9.el9.src.rpm",
    },
    {
      type: "operating-system",
      name: "redhat",
      licenses: [{ expression: "MIT OR Apache-2.0" }],
    },
    { "bom-ref": "motd", type: "file", name: "/etc/motd", "mime-type": "text/plain" },
  ],
  dependencies: [
    {
      ref: "image",
      dependsOn: ["pkg:npm/%40babel/core@7.26.0", "pkg:rpm/redhat/bash@5.1.8-9.el9"],
    },
    { ref: "pkg:npm/%40babel/core@7.26.0", dependsOn: ["#/components/0/components/0"] },
    { ref: "pkg:rpm/redhat/bash@5.1.8-9.el9", provides: ["motd"] },
  ],
});

/**
 * An SPDX document with the given number of packages and files, each file in a package. Each package takes
 * about 1 KB.
 */
export function largeSpdxDocument(packages: number, random = (n: number) => `${n}`) {
  const { relationships, ...document } = spdxDocument();
  const numbers = Array.from({ length: packages }, (_, n) => n);
  const all = numbers.map((n) =>
    apk(`package-${n}`, `1.${n % 30}.${random(n)}-r0`, `&upstream=source-${n % 400}`),
  );
  const files = numbers.map((n) => file(`usr/lib/package-${n}/${random(n)}`, ["BINARY"]));
  return {
    ...document,
    packages: [...document.packages, ...all],
    files,
    relationships: [
      ...relationships,
      ...numbers.map((n) => relate(all[n]?.SPDXID ?? "", "CONTAINS", files[n]?.SPDXID ?? "")),
      ...numbers.map((n) =>
        relate(all[n]?.SPDXID ?? "", "DEPENDS_ON", all[(n + 1) % packages]?.SPDXID ?? ""),
      ),
    ],
  };
}
